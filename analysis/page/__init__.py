"""The page that `tandem report` writes. Whatever it shows goes through markup.element(), which escapes it."""
