#!/usr/bin/env python3
"""A far side for push: takes POSTs on 127.0.0.1 and writes each to DIR/NNN.json (path, headers) and DIR/NNN.body.

	far_side.py DIR [ANSWER...]	writes its port to DIR/port; listens at the one in DIR/again, if that is there

Each request gets the next ANSWER, the last one for ever: a status ("200", "503", "400:a text"), "cut" (an answer that
ends before its length), "hang up" (no answer). Default: 200.
"""
import gzip, http.server, json, os, ssl, sys

where, answers = sys.argv[1], sys.argv[2:] or ["200"]
number = 0


class Far(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global number
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = answers[min(number, len(answers) - 1)]
        status, _, text = answer.partition(":")
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        name = f"{where}/{number:03}"
        with open(name + ".body", "wb") as f:
            f.write(body)
        with open(name + ".json.part", "w") as f:
            json.dump({"path": self.path, "answer": answer, "headers": dict(self.headers)}, f)
        os.rename(name + ".json.part", name + ".json")
        number += 1
        self.close_connection = True
        if answer == "hang up":
            return
        self.send_response(200 if answer == "cut" else int(status))
        self.send_header("Content-Length", str(len(text) + (100 if answer == "cut" else 0)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


port = int(open(where + "/again").read()) if os.path.exists(where + "/again") else 0
server = http.server.HTTPServer(("127.0.0.1", port), Far)
if "FAR_TLS" in os.environ:  # a file with key and certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["FAR_TLS"])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(where + "/port.part", "w") as f:
    f.write(str(server.server_port))
os.rename(where + "/port.part", where + "/port")
server.serve_forever()
