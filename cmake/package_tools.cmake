# cpack runs this before packing: fail if a tool that finds the package's dependencies is missing.
if(CPACK_GENERATOR STREQUAL "DEB")
	foreach(tool dpkg-shlibdeps file)
		find_program(found ${tool} NO_CACHE)
		if(NOT found)
			message(FATAL_ERROR
				"no package made: '${tool}' is missing, so the package would not name the libraries "
				"that strobe needs\n  try: scripts/deps install package")
		endif()
		unset(found)
	endforeach()
endif()
