# embed(TARGET FILE): FILE (below the source tree) as the bytes of a C array, in a header that
# TARGET may include: flamegraph.js becomes "flamegraph_js.h" with `static const char
# flamegraph_js[]`, ending in a NUL.
function(embed target file)
	get_filename_component(name ${file} NAME)
	string(MAKE_C_IDENTIFIER ${name} id)
	set(header ${PROJECT_BINARY_DIR}/embedded/${id}.h)
	add_custom_command(OUTPUT ${header} DEPENDS ${PROJECT_SOURCE_DIR}/${file}
		${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
		COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/${file} -DOUT=${header}
		-DID=${id} -P ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake)
	target_sources(${target} PRIVATE ${header})
	target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
endfunction()
