# What a user needs, without the tests.
add_custom_target(programs)

# Such a program: it is installed, and `programs` builds it.
function(tandem_program target)
  install(TARGETS ${target})
  add_dependencies(programs ${target})
endfunction()
