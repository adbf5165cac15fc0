# The programs of `strobe test -w`: compiled without optimization, with debug information in each
# build. Their names are also in the dynamic symbol table, so that a stripped binary still has them.
set_source_files_properties(cmd/test/workloads.c cmd/test/inlineloop.c cmd/test/deterministic.c PROPERTIES
	COMPILE_OPTIONS "-O0;-g;-U_FORTIFY_SOURCE;-fno-omit-frame-pointer;-fno-optimize-sibling-calls")
if(NOT STATIC)
	target_link_options(strobe PRIVATE "LINKER:--dynamic-list=${PROJECT_SOURCE_DIR}/cmd/test/workloads.list")
	set_target_properties(strobe PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmd/test/workloads.list)
endif()
