# layer(NAME USES LIBS...): make the folder NAME one library of its sources, linked only with what
# it may use. A room (FOLDER/ROOM) is a layer, too; inside a folder its rooms can be given by their
# short names. Where a folder has sources of its own, its rooms stand above these, and each user
# names the rooms that it uses.
function(layer name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
	string(REPLACE "/" "-" target ${name})
	file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.c)
	get_filename_component(folder ${name} DIRECTORY)
	foreach(used ${arg_USES})
		if(folder AND TARGET ${folder}-${used})
			list(APPEND uses ${folder}-${used})
		else()
			string(REGEX REPLACE "^([a-z]+)/" "\\1-" used ${used})
			list(APPEND uses ${used})
		endif()
	endforeach()
	add_library(${target} STATIC ${sources})
	target_link_libraries(${target} PUBLIC ${uses})
endfunction()

# rooms(FOLDER ROOMS...): the folder as a whole, for its users: all of its rooms.
function(rooms folder)
	list(TRANSFORM ARGN PREPEND ${folder}-)
	add_library(${folder} INTERFACE)
	target_link_libraries(${folder} INTERFACE ${ARGN})
endfunction()
