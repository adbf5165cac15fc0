# layer(NAME USES LIBS...): the folder NAME as one library of its sources, linked with what it may
# use and no more. A room (FOLDER/ROOM) is a layer, too; the names of its own folder's rooms may
# stand for themselves.
function(layer name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
	string(REPLACE "/" "-" target ${name})
	file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.c)
	get_filename_component(folder ${name} DIRECTORY)
	foreach(used ${arg_USES})
		if(folder AND TARGET ${folder}-${used})
			list(APPEND uses ${folder}-${used})
		else()
			list(APPEND uses ${used})
		endif()
	endforeach()
	add_library(${target} STATIC ${sources})
	target_link_libraries(${target} PUBLIC ${uses})
endfunction()

# rooms(FOLDER ROOMS...): the folder as its users link it: all of its rooms.
function(rooms folder)
	list(TRANSFORM ARGN PREPEND ${folder}-)
	add_library(${folder} INTERFACE)
	target_link_libraries(${folder} INTERFACE ${ARGN})
endfunction()
