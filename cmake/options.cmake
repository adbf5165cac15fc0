# Compiler and linker flags of every target.
# The version of perf whose interfaces strobe has: programs read it to find out about features.
set(PERF_VERSION 7.2.0)
add_compile_definitions(_GNU_SOURCE STROBE_VERSION="${PROJECT_VERSION}" PERF_VERSION="${PERF_VERSION}")
add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
	-Wno-unused-parameter -Wno-missing-field-initializers -fno-strict-aliasing -fno-common)
if(WERROR)
	add_compile_options(-Werror)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
	add_compile_options(-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fno-omit-frame-pointer)
endif()
# What a static binary lacks; everything else compiles to the same objects.
if(STATIC)
	set_source_files_properties(cmd/features.c cmd/out_of_memory.c events/libpfm.c probe/ifunc.c
		report/script/language.c symbols/code/capstone.c symbols/name/debuginfod.c
		symbols/unwind/unwind_libunwind.c
		PROPERTIES COMPILE_DEFINITIONS STROBE_STATIC)
endif()
if(SANITIZE)
	add_compile_options(-fsanitize=${SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=${SANITIZE})
endif()
if(FUZZ)
	add_compile_options(-fsanitize=fuzzer-no-link)
endif()
include_directories(${PROJECT_SOURCE_DIR})
if(SANITIZE MATCHES "address")	# or each start of a process relocates 12 MB of their tables
	add_compile_options(-fno-pie)
	add_link_options(-no-pie)
else()
	set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
