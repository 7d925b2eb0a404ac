# SPDX-License-Identifier: GPL-2.0-only
"""What others tell of instructions: objdump what they are, and perf report which field of
which type they access. Who does not have these has pages that do not say so.
"""

import os
import platform
import re
import shutil
import struct
import subprocess
import tempfile


# Where objdump may be: by name, unless there is one of this machine's own kind.
OBJDUMPS = ["riscv64-linux-gnu-objdump", "riscv64-unknown-linux-gnu-objdump", "llvm-objdump"]
# So many bytes of a function are looked at in one go.
STRETCH = 1 << 16

# ELF
IDENT = 16
EXEC, RISCV, LOAD, NOTE, RUNNABLE, BUILD_ID = 2, 243, 1, 4, 1, 3


# Options of perf script that say what is recorded, and where its programs are
WHERE = ["--input", "--symfs", "--kallsyms", "--vmlinux"]
SHORT = {"-i": "--input", "-k": "--vmlinux"}


def options_of(words):
    """{option: value} of these, which may be short, and shortened"""
    found = {}
    for word, after in zip(words, words[1:] + [""]):
        name, has, value = word.partition("=")
        if word[:2] in SHORT and word[:2] != "--":
            found[SHORT[word[:2]]] = word[2:] or after
        elif len(name) > 3:
            for option in WHERE:
                if option.startswith(name):
                    found[option] = value if has else after
    return found


def own_command():
    """the options of perf that this is run by"""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            words = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    except OSError:
        return {}
    # What is behind it is the script's.
    return options_of(words[1:words.index("--") if "--" in words else None])


OWN = own_command()


class Types:
    """The type and field that each instruction accesses, as perf report says."""

    # "[.] function+0x12", which perf report has in its output
    PLACE = re.compile(r"^\[.\] (.*)\+0x([0-9a-f]+)$")
    SHOWN = re.compile(r"^(.*) \+(?:0x)?([0-9a-f]+) \((.*)\)$")

    def __init__(self, wanted):
        self.wanted, self.running, self.known = wanted, None, {}
        if wanted and OWN.get("--input") != "-":
            self.start()

    def start(self):
        """perf report runs while this does"""
        self.output = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")
        own = [f"{name}={value}" for name, value in OWN.items()]
        try:
            self.running = subprocess.Popen(
                ["perf", "report", "--stdio", "-q", "-t", "\t", "--no-children",
                 "--itrace=M", "-s", "dso,symoff,typeoff", "-w", "999,999,999,999", *own],
                executable=os.path.realpath("/proc/self/exe"), stdin=subprocess.DEVNULL,
                stdout=self.output, stderr=subprocess.DEVNULL,
                env=dict(os.environ, PERF_PAGER="cat", LC_ALL="C.UTF-8"))
        except OSError:
            self.running = None

    def read(self):
        """what it has said"""
        if not self.running:
            return
        self.running.wait()
        self.output.seek(0)
        for line in self.output:
            words = [word.strip() for word in line.rstrip("\n").split("\t")]
            place = len(words) == 4 and self.PLACE.match(words[2])
            if place:
                key = place[1], os.path.basename(words[1]), int(place[2], 16)
                self.known[key] = self.text(words[3])
        self.running = None

    def text(self, shown):
        """a type and its field for people"""
        found = self.SHOWN.match(shown)
        name = found[1] if found else shown
        # perf of some kernels has no offset then.
        name = "[unknown]" if name == "(unknown)" else name
        if not found or found[3] == "no field":
            return name
        return f"{name} +{int(found[2], 16):#x} {found[3]}"

    def of(self, where):
        """of an instruction"""
        return self.known.get(where, "[unknown]")


class Elf:
    """Of a program what tells where its instructions are in it."""

    def __init__(self, path):
        self.path, self.segments, self.build_id, self.kind = path, [], "", 0
        with open(path, "rb") as file:
            ident = file.read(IDENT)
            self.wide = ident[4:5] == b"\2"
            if ident[:4] != b"\x7fELF" or ident[5] != 1:
                raise ValueError(path)
            self.read_header(file)

    def read_header(self, file):
        """the segments"""
        layout = struct.Struct("<HHI" + ("QQQ" if self.wide else "III") + "IHHH")
        self.kind, machine, _, _, at, _, _, _, size, number = layout.unpack(file.read(layout.size))
        if machine != RISCV:
            raise ValueError(self.path)
        layout = struct.Struct("<IIQQQQQQ" if self.wide else "<IIIIIIII")
        for i in range(number):
            file.seek(at + i * size)
            fields = layout.unpack(file.read(layout.size))
            if self.wide:
                type_, flags, offset, address, _, length = fields[:6]
            else:
                type_, offset, address, _, length, _, flags = fields[:7]
            if type_ == LOAD and flags & RUNNABLE:
                self.segments.append((address, length))
            if type_ == NOTE:
                self.read_notes(file, offset, length)

    def read_notes(self, file, offset, length):
        """the build ID, if it is there"""
        file.seek(offset)
        notes = file.read(length)
        while len(notes) >= 12:
            name, size, type_ = struct.unpack_from("<III", notes)
            begin = 12 + (name + 3 & ~3)
            if type_ == BUILD_ID and notes[12:12 + name] == b"GNU\0":
                self.build_id = notes[begin:begin + size].hex()
            notes = notes[begin + (size + 3 & ~3):]

    def address(self, ip, map_start):
        """where an instruction is in the file, None if that cannot be told"""
        if self.kind == EXEC:
            return ip
        if len(self.segments) != 1:
            return None
        return ip - map_start + (self.segments[0][0] & ~0xfff)


class Code:
    """What instructions are, by objdump."""

    LINE = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$")
    HEAD = re.compile(r"^[0-9a-f]+ <(.*)>:$")
    # Where a jump leads to; objdump's comments are not shown
    TARGET = re.compile(r"(?:0x)?[0-9a-f]+ <([^>]*)>")

    def __init__(self, objdump=None):
        self.objdump = objdump or self.find()
        self.places, self.files, self.texts = {}, {}, {}

    @staticmethod
    def find():
        """an objdump that knows RISC-V, None if there is none"""
        own = ["objdump"] if platform.machine().startswith("riscv") else []
        return next(filter(None, map(shutil.which, own + OBJDUMPS)), None)

    def see(self, where, event):
        """remember where perf says that an instruction is"""
        if where not in self.places:
            self.places[where] = (event.get("dso", ""), event.get("dso_bid", ""),
                                  event["sample"]["ip"], event.get("dso_map_start", 0))

    @staticmethod
    def paths(dso, build_id):
        """where the program may be on this machine"""
        symfs = OWN.get("--symfs", "")
        if dso.startswith("/"):
            yield symfs.rstrip("/") + dso if symfs else dso
            if symfs:
                yield os.path.join(symfs, os.path.basename(dso))
        if build_id:
            yield os.path.expanduser(f"~/.debug/.build-id/{build_id[:2]}/{build_id[2:]}/elf")

    def file(self, dso, build_id):
        """the program, None if it is not there or another one"""
        if (dso, build_id) not in self.files:
            found = None
            for path in self.paths(dso, build_id):
                try:
                    elf = Elf(path)
                except (OSError, ValueError, struct.error):
                    continue
                if not build_id or not elf.build_id or elf.build_id == build_id:
                    found = elf
                    break
            self.files[dso, build_id] = found
        return self.files[dso, build_id]

    def listing(self, path, begin, end):
        """what objdump says of some addresses, by address, and the function of the first"""
        try:
            said = subprocess.run(
                [self.objdump, "-d", "--no-show-raw-insn", f"--start-address={begin:#x}",
                 f"--stop-address={end:#x}", path], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                encoding="utf-8", errors="replace").stdout
        except OSError:
            return {}, ""
        texts, first = {}, ""
        for line in said.splitlines():
            header, code = self.HEAD.match(line), self.LINE.match(line)
            if header:
                first = first or header[1]
            elif code:
                texts[int(code[1], 16)] = self.tidy(code[2])
        return texts, first

    def tidy(self, text):
        """as it is shown"""
        text = re.sub(r"\s+[#;] .*$", "", text)
        return " ".join(self.TARGET.sub(r"<\1>", text).split())

    def disassemble(self, instructions):
        """Find out about these, which are to be shown."""
        functions = {}
        for where in instructions:
            if self.objdump and where in self.places and where not in self.texts:
                dso, build_id, ip, start = self.places[where]
                elf = self.file(dso, build_id)
                address = elf and elf.address(ip, start)
                if address is not None:
                    functions.setdefault((elf.path, where[0], address - where[2]
                                          if self.named(where) else address), []).append(
                                              (where, address))
        for (path, _, begin), places in functions.items():
            self.look(path, begin, places)

    @staticmethod
    def named(where):
        """does perf know its function?"""
        return where[0] != "[unknown]"

    def look(self, path, begin, places):
        """at some instructions of a function"""
        places = [(where, at) for where, at in places if at - begin < STRETCH]
        if not places:
            return
        texts, first = self.listing(path, begin, max(at for _, at in places) + 4)
        # If no function begins where perf says so it is another place.
        if self.named(places[0][0]) and re.search(r"\+0x[0-9a-f]+$", first):
            return
        for where, at in places:
            self.texts[where] = texts.get(at, "")

    def of(self, where):
        """of an instruction"""
        return self.texts.get(where, "")


def missing(code, types):
    """what a page has not, and why"""
    if not code.objdump:
        yield "There is no objdump for RISC-V here: instructions are not shown."
    elif not any(code.texts.values()):
        yield "The programs are not here, or are others: instructions are not shown."
    if types.wanted and not types.known:
        yield "perf report does not tell which types instructions access."
