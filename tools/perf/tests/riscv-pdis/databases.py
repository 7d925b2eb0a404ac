#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests that perf's scripts which make databases give these the cycles of each stage.

  databases.py PERF SCRIPTS FOLDER

SCRIPTS has export-to-sqlite.py and export-to-postgresql.py. They are run as they are. In
place of Qt, and of PostgreSQL's library, there are a few lines of Python here: for one SQLite
does what it is asked for, of the other it is written down what would be copied to which table.
What is expected is made of the fields that records are made of.
"""

import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys

from fields import compare, write_records
from records import LATENCIES

# PySide2.QtSql, as far as these scripts know it
QTSQL = '''
import json
import sqlite3

class QSqlDatabase:
    @staticmethod
    def addDatabase(kind):
        base = QSqlDatabase()
        base.real, base.base = kind == "QSQLITE", None
        return base

    def setDatabaseName(self, name):
        self.name = name

    def open(self):
        if self.real:
            self.base = sqlite3.connect(self.name, isolation_level=None)

    def close(self):
        pass

class QSqlQuery:
    def __init__(self, base):
        self.base, self.text, self.values, self.found, self.error = base, None, [], None, ""

    def prepare(self, text):
        self.text = text

    def addBindValue(self, value):
        self.values.append(value)

    def exec_(self, text=None):
        values, self.values = self.values, []
        if not self.base.real:
            with open("asked", "a") as out:
                print(json.dumps(text or self.text), file=out)
            return True
        try:
            self.found = self.base.base.execute(text or self.text, values)
        except sqlite3.Error as error:
            self.error = str(error)
            return False
        return True

    def next(self):
        return self.base.real and self.found.fetchone() is not None

    def lastError(self):
        return self

    def text(self):
        return self.error

    def finish(self):
        pass

    clear = finish
'''

# ctypes with a library of PostgreSQL's, as far as one of them knows it
CTYPES = '''
import os
c_void_p = c_char_p = c_int = None

class Function:
    def __init__(self, does):
        self.does = does

    def __call__(self, *args):
        return self.does(*args)

class CDLL:
    def __init__(self, name):
        self.table = None
        self.PQconnectdb = Function(lambda told: 1)
        self.PQfinish = Function(lambda connection: None)
        self.PQstatus = Function(lambda connection: 0)
        self.PQexec = Function(self.begin)
        self.PQresultStatus = Function(lambda result: 4)
        self.PQputCopyData = Function(self.copy)
        self.PQputCopyEnd = Function(lambda connection, error: 1)

    def begin(self, connection, text):
        self.table = text.split()[1].decode()
        return 1

    def copy(self, connection, data, size):
        with open("copied." + self.table, "ab") as out:
            out.write(data[:size])
        return 1
'''


def export(perf, script, folder, *words):
    """run such a script in a folder that has perf.data"""
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C", HOME=folder,
               PYTHONPATH=os.path.join(folder, "instead"), PYTHONDONTWRITEBYTECODE="1")
    ran = subprocess.run([perf, "script", "-i", "../perf.data", "-s", script, *words],
                         cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    if ran.returncode or "Traceback" in ran.stdout:
        print(ran.stdout)


def begin(folder, **instead):
    """an empty folder, with these modules in place of others"""
    for name, text in instead.items():
        path = os.path.join(folder, "instead", name.replace("_", "/") + ".py")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as out:
            out.write(text)
    return folder


def in_sqlite(perf, scripts, folder):
    """the lines of the table of samples in a database of SQLite's"""
    begin(folder, PySide2_QtSql=QTSQL)
    export(perf, os.path.join(scripts, "export-to-sqlite.py"), folder, "base", "all")
    base = sqlite3.connect(os.path.join(folder, "base"))
    return [str(list(row)) for row in base.execute(
        f"SELECT weight, {', '.join(LATENCIES)} FROM samples WHERE id > 0 ORDER BY id")]


def rows_of(data):
    """what COPY ... (FORMAT 'binary') has: the numbers of each row, None if it is NULL"""
    assert data.startswith(b"PGCOPY\n\377\r\n\0")
    at = 19
    while True:
        count, at = struct.unpack_from("!h", data, at)[0], at + 2
        if count < 0:
            return
        row = []
        for _ in range(count):
            size, at = struct.unpack_from("!i", data, at)[0], at + 4
            row.append(None if size < 0 else int.from_bytes(data[at:at + size], "big"))
            at += max(size, 0)
        yield row


def in_postgresql(perf, scripts, folder):
    """the same of what PostgreSQL would have been told"""
    begin(folder, PySide2_QtSql=QTSQL, ctypes=CTYPES)
    export(perf, os.path.join(scripts, "export-to-postgresql.py"), folder, "base", "all")
    with open(os.path.join(folder, "asked"), encoding="ascii") as asked:
        table = re.search(r'^"CREATE TABLE samples \((.*)\)"$', asked.read(), re.M)
    columns = [column.split("\\t")[0] for column in table[1].split(",")]
    with open(os.path.join(folder, "copied.samples"), "rb") as copied:
        rows = sorted(rows_of(copied.read()))
    if any(len(row) != len(columns) for row in rows):
        print(f"{len(rows[0])} fields of {len(columns)} columns")
        return []
    wanted = [columns.index(name) for name in ["weight", *LATENCIES]]
    return [str([row[i] for i in wanted]) for row in rows if row[0]]


def main():
    """both"""
    perf, scripts, folder = sys.argv[1], *map(os.path.abspath, sys.argv[2:])
    shutil.rmtree(folder, ignore_errors=True)
    for name in "sqlite", "postgresql":
        os.makedirs(os.path.join(folder, name))
    records = write_records(os.path.join(folder, "perf.data"))
    expected = [str([record.total, *record.latencies()]) for record in records]
    right = compare("SQLite", in_sqlite(perf, scripts, os.path.join(folder, "sqlite")), expected)
    right &= compare("PostgreSQL", in_postgresql(
        perf, scripts, os.path.join(folder, "postgresql")), expected)
    sys.exit(not right)


if __name__ == "__main__":
    main()
