#!/usr/bin/env python3
"""Checks the files of tools/server/deploy/ with the programs that read them: the units of systemd with
systemd-analyze, the proxy with nginx and TLS before a real server, the configuration with pmdex. What cannot be
checked here is skipped with its reason; exits with 77 if that is everything but the configuration.

  deployment_test.py PMDEX SOURCE_DIRECTORY
"""

import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

PMDEX, SOURCE = sys.argv[1], sys.argv[2]
DEPLOY = os.path.join(SOURCE, "tools/server/deploy")
SYSTEMD_ANALYZE = shutil.which("systemd-analyze")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OPENSSL = shutil.which("openssl")
TOKEN = "a token of this test"
MOST_EXPOSURE = 20  # in tenths, as systemd-analyze --threshold wants it


def read(name):
    with open(os.path.join(DEPLOY, name), encoding="utf-8") as file:
        return file.read()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Deployment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = folder.name
        self.write("d.jsonl", '{"id": "1", "text": "persistent memory"}\n')
        subprocess.run([PMDEX, "index", f"{self.at}/d.jsonl", "--index", f"{self.at}/index", "--quiet"], check=True)

    def write(self, name, text):
        path = os.path.join(self.at, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    def start(self, arguments, wanted):
        """Starts a program, and ends it with the test. Returns when it has written `wanted` to stderr."""
        process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)  # nginx then ends its workers, too
        for line in process.stderr:
            if wanted in line:
                return process
        self.fail(f"{arguments[0]} ended with {process.wait()}")

    def units(self):
        """The units, with the program of this build."""
        service = read("pmdex.service")
        self.assertIn("ExecStart=/usr/bin/pmdex serve ", service)
        service = self.write("pmdex.service", service.replace("/usr/bin/pmdex", os.path.realpath(PMDEX)))
        watch = read("../../watch/deploy/pmdex-watch.service")
        self.assertIn("ExecStart=/usr/bin/pmdex watch ", watch)
        watch = self.write("pmdex-watch.service", watch.replace("/usr/bin/pmdex", os.path.realpath(PMDEX)))
        return service, watch, self.write("pmdex.socket", read("pmdex.socket"))

    @unittest.skipIf(SYSTEMD_ANALYZE is None, "no systemd-analyze")
    def test_systemd_understands_every_line_of_the_units(self):
        result = subprocess.run([SYSTEMD_ANALYZE, "verify", "--man=no", *self.units()], text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    @unittest.skipIf(SYSTEMD_ANALYZE is None, "no systemd-analyze")
    def test_the_units_expose_little(self):
        for service in self.units()[:2]:
            result = subprocess.run([SYSTEMD_ANALYZE, "security", "--offline=true", f"--threshold={MOST_EXPOSURE}",
                                     "--no-pager", service], text=True, check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertIn("Overall exposure level", result.stdout)

    def test_the_configuration_starts_a_server(self):
        text = read("serve.toml").replace("/var/lib/pmdex/index", f"docs={self.at}/index")
        text = text.replace("127.0.0.1:7700", f"unix:{self.at}/socket").replace("/var/log/pmdex", self.at)
        server = self.start([PMDEX, "serve", "--config", self.write("serve.toml", text)], "listening on")
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(), 0)

    def test_the_container_starts_a_server(self):
        """The command of the image, with other paths. Nobody builds the image here."""
        lines = read("Containerfile").splitlines()
        start = [json.loads(line.split(" ", 1)[1]) for line in lines if line.startswith(("ENTRYPOINT", "CMD"))]
        tokens = self.write("tokens", TOKEN + "\n")
        paths = {"/usr/bin/pmdex": PMDEX, "/index": f"docs={self.at}/index", "/etc/pmdex/tokens": tokens,
                 "0.0.0.0:7700": "0.0.0.0:0"}
        self.start([paths.get(word, word) for word in sum(start, [])], "listening on http://0.0.0.0:")

    @unittest.skipIf(NGINX is None, "no nginx")
    @unittest.skipIf(OPENSSL is None, "no openssl to make a certificate")
    def test_nginx_puts_tls_before_the_server(self):
        key, certificate = f"{self.at}/key.pem", f"{self.at}/certificate.pem"
        subprocess.run([OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=search.example.org",
                        "-addext", "subjectAltName=DNS:search.example.org"], check=True, stderr=subprocess.DEVNULL)
        tokens = self.write("tokens", TOKEN + "\n")
        self.start([PMDEX, "serve", "--index", f"docs={self.at}/index", "--listen", f"unix:{self.at}/socket",
                    "--token-file", tokens, "--timeout-ms", "2000"], "listening on")
        port = free_port()
        site = read("nginx.conf")
        for ours, theirs in {"unix:/run/pmdex/socket": f"unix:{self.at}/socket",
                             "listen 443": f"listen 127.0.0.1:{port}",
                             "/etc/ssl/certs/search.example.org.pem": certificate,
                             "/etc/ssl/private/search.example.org.key": key}.items():
            self.assertIn(ours, site)
            site = site.replace(ours, theirs)
        paths = "".join(f"{kind}_temp_path {self.at}/{kind}; "
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root; " if os.geteuid() == 0 else ""  # else its workers could not open the socket
        conf = self.write("nginx.conf", f"{user}daemon off; pid {self.at}/pid; error_log stderr notice; "
                          f"events {{}} http {{ access_log off; {paths}\n{site}\n}}\n")
        self.start([NGINX, "-e", "stderr", "-c", conf], "start worker process ")
        trust = ssl.create_default_context(cafile=certificate)

        def ask(path, headers):
            raw = socket.create_connection(("127.0.0.1", port), timeout=60)
            client = http.client.HTTPConnection("search.example.org")
            client.sock = trust.wrap_socket(raw, server_hostname="search.example.org")
            client.request("GET", path, headers=headers)
            answer = client.getresponse()
            body = answer.read()
            client.close()
            return answer.status, body

        self.assertEqual(ask("/search?q=memory", {})[0], 401)
        status, body = ask("/search?q=memory", {"Authorization": f"Bearer {TOKEN}"})
        self.assertEqual(status, 200)
        self.assertEqual(json.loads(body)["hits"][0]["id"], "1")


if __name__ == "__main__":
    program = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2)
    if not program.result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if SYSTEMD_ANALYZE is None and NGINX is None else 0)
