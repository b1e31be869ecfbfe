# Compile options that every target of the project takes: link to `tandem_options`.
add_library(tandem_options INTERFACE)
target_compile_features(tandem_options INTERFACE cxx_std_20)
target_compile_options(tandem_options INTERFACE -Wall -Wextra -Wpedantic)
target_include_directories(tandem_options INTERFACE ${CMAKE_SOURCE_DIR})
# The same scenario must give the same bits on every build: no contraction of a*b+c that one compiler does and another
# doesn't.
target_compile_options(tandem_options INTERFACE -ffp-contract=off)
if(TANDEM_WERROR)
  target_compile_options(tandem_options INTERFACE -Werror)
endif()
if(TANDEM_SANITIZE)
  target_compile_options(tandem_options INTERFACE -fsanitize=${TANDEM_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tandem_options INTERFACE -fsanitize=${TANDEM_SANITIZE})
  # GCC 12 takes parts of std::regex and boost::optional for uninitialized there (its bug 105562).
  target_compile_options(tandem_options INTERFACE
                         "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
endif()
