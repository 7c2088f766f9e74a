# cmake -DOUTPUT=FILE "-DTEXTS=a.cpp;b.cpp" -P embed_texts.cmake: a list of names and texts, as elements of an array of pairs.
set(all "")
foreach(path IN LISTS TEXTS)
  file(READ ${path} text)
  get_filename_component(name ${path} NAME)
  string(APPEND all "{\"${name}\", R\"text-of-a-file(${text})text-of-a-file\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${all}")
