"use strict";
// Sorts tables by the column whose heading is pressed, with the mouse or the keyboard; once more turns the order round.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const words = new Intl.Collator(undefined, { numeric: true });

  const compare = (a, b) => {
    if (a.dataset.value !== undefined && b.dataset.value !== undefined) return a.dataset.value - b.dataset.value;
    return words.compare(a.textContent, b.textContent);
  };
  const sort = (column, sign) => {
    const cell = (row) => row.cells[column];
    const rows = [...body.rows];
    const [empty, filled] = [true, false].map((is) => rows.filter((row) => (cell(row).textContent === "") === is));
    filled.sort((a, b) => sign * compare(cell(a), cell(b)));
    body.append(...filled, ...empty); // nothing known is last, whichever the order
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      sort(column, sign);
    });
  });
}
