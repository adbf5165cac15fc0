"""killing_proxy.py PORT PID BYTES: forwards connections to PORT on loopback, and ends the process after so many bytes
went there. Its own port is the first line of its output."""
import os, signal, socket, sys, threading

port, pid, left = (int(x) for x in sys.argv[1:])
lock = threading.Lock()

def forward(source, to, counted):
    global left
    try:
        while data := source.recv(4096):
            with lock:
                if counted and left > 0:
                    left -= len(data)
                    if left <= 0:
                        os.kill(pid, signal.SIGKILL)
            to.sendall(data)
        to.shutdown(socket.SHUT_WR)
    except OSError:
        for s in source, to:
            s.close()

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    near = listener.accept()[0]
    try:
        far = socket.create_connection(("127.0.0.1", port))
    except OSError:
        near.close()
        continue
    threading.Thread(target=forward, args=(near, far, True), daemon=True).start()
    threading.Thread(target=forward, args=(far, near, False), daemon=True).start()
