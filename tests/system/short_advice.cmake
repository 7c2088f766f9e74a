# Compiles a mistake: it must fail, with the advice, in at most LINES lines of the compiler's output.
#   cmake -DCOMPILER=... "-DFLAGS=..." -DSOURCE=... -DCASE=1 "-DADVICE=..." -DLINES=30 -P short_advice.cmake
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -DCASE=${CASE} ${flags} ${SOURCE}
  RESULT_VARIABLE code ERROR_VARIABLE text OUTPUT_VARIABLE text)
if(code EQUAL 0)
  message(FATAL_ERROR "the mistake compiles")
endif()
string(FIND "${text}" "${ADVICE}" place)
if(place LESS 0)
  message(FATAL_ERROR "the advice is missing:\n${text}")
endif()
string(REGEX MATCHALL "\n" ends "${text}")
list(LENGTH ends count)
if(count GREATER LINES)
  message(FATAL_ERROR "${count} lines, more than ${LINES}:\n${text}")
endif()
message(STATUS "refused with advice, in ${count} lines")
