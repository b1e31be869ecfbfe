# Sets TANDEM_PYTHON to a Python that has matplotlib: the one on PATH, else the distribution's, which a version manager's
# `python3` may hide. Empty where there is none.
function(find_python_with_matplotlib result)
  find_program(python_on_path python3)
  foreach(candidate ${python_on_path} /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import matplotlib" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${result} ${candidate} CACHE FILEPATH "A Python that has matplotlib")
      return()
    endif()
  endforeach()
endfunction()

if(NOT TANDEM_PYTHON)
  find_python_with_matplotlib(TANDEM_PYTHON)
endif()
