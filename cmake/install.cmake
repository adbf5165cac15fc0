# `cmake --install` and the Debian package: binary, man pages, completion, documentation.
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

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME strobe)
set(CPACK_PACKAGE_CONTACT "the strobe authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "perf-compatible record and report toolkit")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS AND NOT STATIC)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
	list(JOIN LATE_PACKAGES ", " CPACK_DEBIAN_PACKAGE_DEPENDS)	# to which those it links are added
endif()
include(CPack)
