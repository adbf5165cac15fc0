# embed(TARGET FILE): make the bytes of FILE (below the source tree) a C array in a header for
# TARGET: flamegraph.js becomes "flamegraph_js.h" with `static const char flamegraph_js[]`, which
# ends with a NUL.
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
