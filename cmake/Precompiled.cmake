# Precompiled headers: half of what a source costs to compile is headers that many share. Every source still includes what
# it uses; builds without them (the preset clang) would not compile otherwise.
option(PAWL_PRECOMPILE "precompile the headers that many sources share" ON)

#   pawl_precompile(pawl_formulate HEADERS <vector> <pawl/system.hpp>)   precompiles them for this target
#   pawl_precompile(pawl_contact LIKE pawl_formulate)                    takes those of a target with the same flags
function(pawl_precompile TARGET)
  if(NOT PAWL_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(PRE "" "LIKE" "HEADERS" ${ARGN})
  if(PRE_LIKE)
    target_precompile_headers(${TARGET} REUSE_FROM ${PRE_LIKE})
  else()
    target_precompile_headers(${TARGET} PRIVATE ${PRE_HEADERS})
  endif()
endfunction()

#   pawl_compile_together(pawl_problems 5)    five sources at a time, where that is asked for with PAWL_PRECOMPILE
# Sources that are small beside what they instantiate of the same templates take half the time so. They must not use each
# other's names without saying so: builds without precompiled headers compile them one by one, and see what shadows what.
function(pawl_compile_together TARGET SOURCES)
  if(PAWL_PRECOMPILE)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SOURCES})
  endif()
endfunction()

set(pawl_standard_headers <algorithm> <array> <cmath> <functional> <limits> <map> <memory> <numeric> <optional> <span> <string>
    <string_view> <utility> <vector>)
