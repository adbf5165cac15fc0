# `cmake --install`: binary, man pages, completion, documentation.
install(TARGETS strobe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

foreach(section 1 5)
	file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.${section})
	install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
	${PROJECT_SOURCE_DIR}/docs/compat.md ${PROJECT_SOURCE_DIR}/docs/fleet.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/strobe/queries DESTINATION ${CMAKE_INSTALL_DATADIR}/strobe)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/strobe-agent.service DESTINATION ${CMAKE_INSTALL_DATADIR}/strobe/systemd)

# The scripts ask the binary for completions, so they do not depend on the version.
set(completion ${PROJECT_SOURCE_DIR}/cmd/completion)
install(FILES ${completion}/strobe.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME strobe)
install(FILES ${completion}/strobe.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _strobe)
install(FILES ${completion}/strobe.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
