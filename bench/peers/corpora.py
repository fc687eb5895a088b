"""Makes the corpora on which engines are compared: real text and logs by name, generated text, or files of the user.

  kernel         the source of Linux 6.1, one document per file
  kernel-pieces  the same in documents of 3 to 8 KB
  docs           documentation packages of Debian in documents of 3 to 8 KB
  logs           log lines of sixteen systems, made from templates, one document per line
  text           English-like documents of Zipf words
  log, dump      lines of a data centre's daemons, and of a file system's entries

Packages are downloaded by name from the machine's Debian mirror, so that everybody has the same text.
"""

import glob
import os
import subprocess

KERNEL = ["linux-source-6.1"]
DOCUMENTATION = [
    "linux-doc-6.1", "python3.11-doc", "debian-handbook", "debian-policy", "developers-reference", "postgresql-doc-15",
    "openjdk-17-doc", "libboost1.81-doc", "rust-doc", "octave-doc", "python-django-doc", "apache2-doc", "gimp-help-en",
    "sqlite3-doc", "llvm-14-doc", "kicad-doc-en", "r-doc-html", "sbcl-doc", "dict-gcide", "bible-kjv-text",
]
HERE = os.path.dirname(os.path.abspath(__file__))
REAL = ("kernel", "kernel-pieces", "docs", "logs")
GENERATED = {"text": "jsonl", "log": "log", "dump": "dump"}


def unpack(packages, work):
    """Returns the directory with the unpacked packages, and the source archives in it."""
    directory = os.path.join(work, "packages", "-".join((packages[0], str(len(packages)))))
    done = directory + ".done"
    if os.path.exists(done):
        return directory
    archives = os.path.join(work, "packages", "archives")
    os.makedirs(archives, exist_ok=True)
    os.makedirs(directory, exist_ok=True)
    subprocess.run(["apt-get", "download", "-qq", *packages], cwd=archives, check=True)
    for package in packages:
        archive = max(glob.glob(os.path.join(archives, f"{package}_*.deb")), key=os.path.getmtime)
        subprocess.run(["dpkg-deb", "--extract", archive, directory], check=True)
    for source in glob.glob(os.path.join(directory, "usr/src/*.tar.*")):
        subprocess.run(["tar", "--extract", "--file", source, "--directory", directory], check=True)
        os.remove(source)
    open(done, "w").close()
    return directory


def write(path, command, stdin=None):
    """Writes the command's output to the file. The file exists only if the output is complete."""
    with open(path + ".part", "wb") as out:
        subprocess.run(command, stdin=stdin, stdout=out, check=True)
    os.rename(path + ".part", path)


def write_logs(path, options):
    templates = os.path.join(HERE, "log_templates.txt")
    lines = subprocess.Popen([options.generator, "templates", templates, options.size], stdout=subprocess.PIPE)
    write(path, [options.generator, "lines"], lines.stdout)
    if lines.wait() != 0:
        os.remove(path)
        raise subprocess.CalledProcessError(lines.returncode, lines.args)


def write_users(path, options):
    name = options.corpus
    if os.path.isdir(name):
        write(path, [options.generator, "tree", name])
        return
    with open(name, "rb") as text:
        write(path, [options.generator, "words" if name.endswith(("jsonl", "ndjson")) else "lines"], text)


def corpus_path(options):
    name = options.corpus
    if name in GENERATED:
        return os.path.join(options.work, f"corpus-{options.size}.{GENERATED[name]}")
    if name == "logs":
        return os.path.join(options.work, f"logs-{options.size}.jsonl")
    if name in REAL:
        return os.path.join(options.work, f"{name}.jsonl")
    return os.path.join(options.work, f"{os.path.basename(name.rstrip('/'))}.words.jsonl")


def make_corpus(options):
    """Returns the file to index, and makes it if it does not exist. options: corpus, size, generator and work."""
    path, name = corpus_path(options), options.corpus
    if os.path.exists(path):
        return path
    if name in GENERATED:
        write(path, [options.generator, name, options.size])
    elif name == "logs":
        write_logs(path, options)
    elif name in REAL:
        packages = DOCUMENTATION if name == "docs" else KERNEL
        write(path, [options.generator, "tree" if name == "kernel" else "pieces", unpack(packages, options.work)])
    else:
        write_users(path, options)
    return path
