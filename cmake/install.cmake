# `cmake --install`: binary, man pages, completion, documentation.
install(TARGETS strobe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

foreach(section 1 5)
	file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.${section})
	install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/compat.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The completion script comes from the option tables, so the binary prints it, if it runs here.
if(NOT CMAKE_CROSSCOMPILING)
	add_custom_command(TARGET strobe POST_BUILD
		COMMAND strobe completion bash > ${PROJECT_BINARY_DIR}/strobe.bash
		BYPRODUCTS ${PROJECT_BINARY_DIR}/strobe.bash VERBATIM)
	install(FILES ${PROJECT_BINARY_DIR}/strobe.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME strobe)
endif()
