# shellcheck shell=bash
# Debian's clickhouse-server on loopback, for scripts that source this after lib.sh.
need clickhouse-server
need clickhouse-client
free_ports() {	# how many
	python3 -c 'import socket, sys
s = [socket.socket() for _ in range(int(sys.argv[1]))]
for x in s: x.bind(("127.0.0.1", 0))
print(*(x.getsockname()[1] for x in s))' "$1"
}
settings() {	# number, http port, tcp port, ports of the cluster: the server lies in s NUMBER
	mkdir -p "s$1/data" "s$1/tmp"
	cat >"s$1/config.xml" <<-EOF
	<yandex><logger><level>error</level><log>$tmp/s$1/log</log><errorlog>$tmp/s$1/errors</errorlog></logger>
	<http_port>$2</http_port><tcp_port>$3</tcp_port><listen_host>127.0.0.1</listen_host>
	<path>$tmp/s$1/data/</path><tmp_path>$tmp/s$1/tmp/</tmp_path><users_config>users.xml</users_config>
	<default_profile>default</default_profile><default_database>default</default_database>
	<mark_cache_size>100000000</mark_cache_size><remote_servers><pair>
	$(for p in "${@:4}"; do echo "<shard><replica><host>127.0.0.1</host><port>$p</port></replica></shard>"; done)
	</pair></remote_servers></yandex>
	EOF
	cat >"s$1/users.xml" <<-EOF
	<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
	<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
	<quota>default</quota></default></users><quotas><default/></quotas></yandex>
	EOF
}
start() {	# number, tcp port
	(cd "s$1" && exec clickhouse-server --config-file=config.xml >>out 2>&1) &
	server[$1]=$!
	later_kill $!
	for _ in $(seq 200); do
		! clickhouse-client --port "$2" -q 'SELECT 1' >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	skip "clickhouse-server does not start: $(tail -1 "s$1/out")"
}
