# The Debian package that `cpack` makes in the build directory. packaging/ has the files for Fedora and Alpine.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME strobe)
set(CPACK_PACKAGE_CONTACT "the strobe authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "perf-compatible record and report toolkit")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

# dpkg-shlibdeps makes Depends from the linked libraries. strobe works without those that it loads
# on demand: capstone, libpfm4, libunwind (LATE_PACKAGES), and Python and Perl of any version
# (report/script/python.c, perl.c).
if(NOT STATIC)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
	set(python "")
	foreach(minor RANGE 20 8 -1)
		list(APPEND python libpython3.${minor})
	endforeach()
	list(JOIN python " | " python)
	set(perl "")
	foreach(minor RANGE 60 10 -2)
		list(APPEND perl libperl5.${minor})
	endforeach()
	list(JOIN perl " | " perl)
	list(JOIN LATE_PACKAGES ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
	string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", ${python}, ${perl}")
	string(REGEX REPLACE "^, " "" CPACK_DEBIAN_PACKAGE_RECOMMENDS "${CPACK_DEBIAN_PACKAGE_RECOMMENDS}")
	# Without its tools cpack would make a package without Depends.
	set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_tools.cmake)
endif()
include(CPack)
