// What the WebAssembly sees of an operating system (WASI, preview 1): standard streams, files in memory, a clock.
// Nothing leaves this object: no file of the machine and no network can be reached.

const OK = 0, EBADF = 8, EEXIST = 20, EINVAL = 28, EISDIR = 31, ENOENT = 44, ENOSYS = 52, ENOTDIR = 54, ENOTEMPTY = 55;
const TYPE_CHARACTER_DEVICE = 2, TYPE_DIRECTORY = 3, TYPE_FILE = 4;
const OPEN_CREATE = 1, OPEN_DIRECTORY = 2, OPEN_EXCLUSIVE = 4, OPEN_TRUNCATE = 8, FD_APPEND = 1;
const ROOT = 3; // the descriptor of "/"
const encoder = new TextEncoder();

// Thrown when the program ends in the middle: exit(), abort().
export class Exit extends Error {
    constructor(status) {
        super(`the command ended with status ${status}`);
        this.status = status;
    }
}

class File {
    constructor(bytes = new Uint8Array(0)) {
        this.bytes = bytes; // may have room behind `size`
        this.size = bytes.length;
        this.shared = true; // they are the caller's until the first write
    }
    get content() {
        return this.bytes.subarray(0, this.size);
    }
    write(at, data) {
        const end = at + data.length;
        if (this.shared || end > this.bytes.length) {
            const larger = new Uint8Array(Math.max(end, 2 * this.bytes.length, 4096));
            larger.set(this.content);
            this.bytes = larger;
            this.shared = false;
        }
        if (at > this.size) {
            this.bytes.fill(0, this.size, at); // what was there before the file was shortened
        }
        this.bytes.set(data, at);
        this.size = Math.max(this.size, end);
    }
}

// Paths are relative to "/", without "." and ".." in them.
function normal(path) {
    const parts = [];
    for (const part of path.split("/")) {
        if (part === "..") {
            parts.pop();
        } else if (part !== "" && part !== ".") {
            parts.push(part);
        }
    }
    return parts.join("/");
}

export class System {
    // files: { path: Uint8Array or string }; onWrite(path, text): called with what is appended to a file or a stream
    // ("stdout", "stderr").
    constructor({ files = {}, input = "", onWrite = null } = {}) {
        this.files = new Map();
        this.folders = new Set([""]);
        this.onWrite = onWrite;
        this.started = Date.now();
        for (const [path, content] of Object.entries(files)) {
            this.put(path, content);
        }
        this.begin(input);
    }

    put(path, content) {
        const name = normal(path);
        if (name === "") {
            return; // the root is a folder
        }
        for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) {
            this.folders.add(name.slice(0, at));
        }
        this.files.set(name, new File(typeof content === "string" ? encoder.encode(content) : content));
    }

    // Before each command: fresh streams and no open files.
    begin(input = "") {
        this.output = new File();
        this.errors = new File();
        this.open = new Map([
            [0, { file: new File(typeof input === "string" ? encoder.encode(input) : input), at: 0, stream: "stdin" }],
            [1, { file: this.output, at: 0, stream: "stdout" }],
            [2, { file: this.errors, at: 0, stream: "stderr" }],
            [ROOT, { folder: "" }],
        ]);
        this.next = ROOT + 1;
    }

    // The functions that the module imports.
    imports(memory) {
        const view = () => new DataView(memory().buffer);
        const bytes = (at, length) => new Uint8Array(memory().buffer, at, length);
        const text = (at, length) => new TextDecoder().decode(bytes(at, length));
        const path = (fd, at, length) => {
            const base = this.open.get(fd);
            return base?.folder === undefined ? null : normal(`${base.folder}/${text(at, length)}`);
        };
        const vectors = (at, count) => Array.from({ length: count }, (_, i) =>
            bytes(view().getUint32(at + 8 * i, true), view().getUint32(at + 8 * i + 4, true)));
        const stat = (at, type, size, inode) => {
            const v = view();
            for (let i = 0; i < 64; i += 8) {
                v.setBigUint64(at + i, 0n, true);
            }
            v.setBigUint64(at + 8, inode, true);
            v.setUint8(at + 16, type);
            v.setBigUint64(at + 24, 1n, true);
            v.setBigUint64(at + 32, BigInt(size), true);
            return OK;
        };
        const stat_path = (name, at) => {
            const file = this.files.get(name);
            return file ? stat(at, TYPE_FILE, file.size, this.inode(name))
                : this.folders.has(name) ? stat(at, TYPE_DIRECTORY, 0, this.inode(name)) : ENOENT;
        };
        const read = (fd, iovs, count, out, offset) => {
            const f = this.open.get(fd);
            if (!f?.file) {
                return f ? EISDIR : EBADF;
            }
            let at = offset ?? f.at, total = 0;
            for (const into of vectors(iovs, count)) {
                const part = f.file.content.subarray(at, at + into.length);
                into.set(part);
                at += part.length;
                total += part.length;
            }
            f.at = offset === undefined ? at : f.at;
            view().setUint32(out, total, true);
            return OK;
        };
        const write = (fd, iovs, count, out, offset) => {
            const f = this.open.get(fd);
            if (!f?.file) {
                return f ? EISDIR : EBADF;
            }
            let at = offset ?? (f.append ? f.file.size : f.at), total = 0;
            for (const from of vectors(iovs, count)) {
                f.file.write(at, from);
                at += from.length;
                total += from.length;
                this.onWrite?.(f.stream ?? f.path, new TextDecoder().decode(from));
            }
            f.at = offset === undefined ? at : f.at;
            view().setUint32(out, total, true);
            return OK;
        };
        const calls = {
            args_get: () => OK,
            args_sizes_get: (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), OK),
            environ_get: () => OK,
            environ_sizes_get: (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), OK),
            clock_res_get: (id, out) => (view().setBigUint64(out, 1000n, true), OK),
            clock_time_get: (id, precision, out) => {
                const now = id === 0 ? Date.now() * 1e6 : performance.now() * 1e6;
                view().setBigUint64(out, BigInt(Math.round(now)), true);
                return OK;
            },
            random_get: (at, length) => (globalThis.crypto.getRandomValues(bytes(at, length)), OK),
            sched_yield: () => OK,
            poll_oneoff: () => ENOSYS,
            proc_exit: (status) => {
                throw new Exit(status);
            },
            fd_advise: () => OK,
            fd_allocate: () => OK,
            fd_sync: () => OK,
            fd_datasync: () => OK,
            fd_close: (fd) => this.open.delete(fd) ? OK : EBADF,
            fd_read: (fd, iovs, count, out) => read(fd, iovs, count, out),
            fd_pread: (fd, iovs, count, offset, out) => read(fd, iovs, count, out, Number(offset)),
            fd_write: (fd, iovs, count, out) => write(fd, iovs, count, out),
            fd_pwrite: (fd, iovs, count, offset, out) => write(fd, iovs, count, out, Number(offset)),
            fd_seek: (fd, offset, whence, out) => {
                const f = this.open.get(fd);
                if (!f?.file || f.stream) {
                    return f ? 70 /* ESPIPE */ : EBADF;
                }
                const to = Number(offset) + (whence === 0 ? 0 : whence === 1 ? f.at : f.file.size);
                if (to < 0) {
                    return EINVAL;
                }
                f.at = to;
                view().setBigUint64(out, BigInt(to), true);
                return OK;
            },
            fd_tell: (fd, out) => {
                const f = this.open.get(fd);
                return f?.file ? (view().setBigUint64(out, BigInt(f.at), true), OK) : EBADF;
            },
            fd_fdstat_get: (fd, out) => {
                const f = this.open.get(fd);
                if (!f) {
                    return EBADF;
                }
                const v = view();
                v.setUint8(out, f.stream ? TYPE_CHARACTER_DEVICE : f.file ? TYPE_FILE : TYPE_DIRECTORY);
                v.setUint16(out + 2, f.append ? FD_APPEND : 0, true);
                // A stream that can be sought and told would count as a terminal.
                v.setBigUint64(out + 8, f.stream ? 0x42n | 0x24n : 0x1fffffffn, true);
                v.setBigUint64(out + 16, 0x1fffffffn, true);
                return OK;
            },
            fd_fdstat_set_flags: (fd) => this.open.has(fd) ? OK : EBADF,
            fd_filestat_get: (fd, out) => {
                const f = this.open.get(fd);
                return !f ? EBADF : f.file ? stat(out, f.stream ? TYPE_CHARACTER_DEVICE : TYPE_FILE, f.file.size,
                    f.path ? this.inode(f.path) : BigInt(fd)) : stat(out, TYPE_DIRECTORY, 0, this.inode(f.folder));
            },
            fd_filestat_set_size: (fd, size) => {
                const f = this.open.get(fd);
                if (!f?.file) {
                    return EBADF;
                }
                const larger = new Uint8Array(Number(size));
                larger.set(f.file.content.subarray(0, larger.length));
                f.file.bytes = larger;
                f.file.size = larger.length;
                return OK;
            },
            fd_filestat_set_times: () => OK,
            fd_prestat_get: (fd, out) => {
                if (fd !== ROOT) {
                    return EBADF;
                }
                view().setUint32(out, 0, true);
                view().setUint32(out + 4, 1, true);
                return OK;
            },
            fd_prestat_dir_name: (fd, at) => (bytes(at, 1)[0] = 0x2f, OK),
            fd_readdir: (fd, at, length, cookie, out) => {
                const f = this.open.get(fd);
                if (f?.folder === undefined) {
                    return EBADF;
                }
                f.names ??= this.list(f.folder); // as they are when the reading begins
                let used = 0;
                for (let i = Number(cookie); i < f.names.length && used < length; i++) {
                    const [name, type] = f.names[i];
                    const encoded = encoder.encode(name), entry = new Uint8Array(24 + encoded.length);
                    const v = new DataView(entry.buffer);
                    v.setBigUint64(0, BigInt(i + 1), true);
                    v.setBigUint64(8, this.inode(`${f.folder}/${name}`), true);
                    v.setUint32(16, encoded.length, true);
                    v.setUint8(20, type);
                    entry.set(encoded, 24);
                    const part = entry.subarray(0, length - used);
                    bytes(at + used, part.length).set(part);
                    used += part.length;
                }
                view().setUint32(out, used, true);
                return OK;
            },
            path_create_directory: (fd, at, length) => {
                const name = path(fd, at, length);
                if (this.files.has(name) || this.folders.has(name)) {
                    return EEXIST;
                }
                if (!this.folders.has(name.split("/").slice(0, -1).join("/"))) {
                    return ENOENT;
                }
                this.folders.add(name);
                return OK;
            },
            path_filestat_get: (fd, flags, at, length, out) => stat_path(path(fd, at, length), out),
            path_filestat_set_times: () => OK,
            path_link: () => ENOSYS,
            path_symlink: () => ENOSYS,
            path_readlink: () => EINVAL,
            path_open: (fd, dirflags, at, length, flags, rights, inheriting, fdflags, out) => {
                const name = path(fd, at, length);
                if (name === null) {
                    return ENOTDIR;
                }
                let entry;
                if (this.folders.has(name)) {
                    if (flags & (OPEN_CREATE | OPEN_TRUNCATE)) {
                        return flags & OPEN_EXCLUSIVE ? EEXIST : EISDIR;
                    }
                    entry = { folder: name };
                } else {
                    let file = this.files.get(name);
                    if (flags & OPEN_DIRECTORY) {
                        return file ? ENOTDIR : ENOENT;
                    }
                    if (file && flags & OPEN_CREATE && flags & OPEN_EXCLUSIVE) {
                        return EEXIST;
                    }
                    if (!file && !(flags & OPEN_CREATE && this.folders.has(name.split("/").slice(0, -1).join("/")))) {
                        return ENOENT;
                    }
                    if (!file) {
                        this.files.set(name, file = new File());
                    }
                    if (flags & OPEN_TRUNCATE) {
                        file.size = 0;
                    }
                    entry = { file, at: 0, path: name, append: (fdflags & FD_APPEND) !== 0 };
                }
                this.open.set(this.next, entry);
                view().setUint32(out, this.next++, true);
                return OK;
            },
            path_remove_directory: (fd, at, length) => {
                const name = path(fd, at, length);
                return !this.folders.has(name) ? ENOENT : this.list(name).length > 0 ? ENOTEMPTY
                    : (this.folders.delete(name), OK);
            },
            path_unlink_file: (fd, at, length) => this.files.delete(path(fd, at, length)) ? OK : ENOENT,
            path_rename: (fd, at, length, to_fd, to_at, to_length) => {
                const from = path(fd, at, length), to = path(to_fd, to_at, to_length);
                const file = this.files.get(from);
                if (!file) {
                    return this.folders.has(from) ? ENOSYS : ENOENT;
                }
                this.files.delete(from);
                this.files.set(to, file);
                return OK;
            },
        };
        return {
            wasi_snapshot_preview1: new Proxy(calls, { get: (all, name) => all[name] ?? (() => ENOSYS) }),
        };
    }

    // [name, type] of what is in a folder.
    list(folder) {
        const begins = folder === "" ? "" : `${folder}/`, names = [];
        for (const [all, type] of [[this.files.keys(), TYPE_FILE], [this.folders, TYPE_DIRECTORY]]) {
            for (const name of all) {
                const rest = name.slice(begins.length);
                if (name.startsWith(begins) && rest !== "" && !rest.includes("/")) {
                    names.push([rest, type]);
                }
            }
        }
        return names;
    }

    // A number that differs between files: a hash of the name would do, a count is certain.
    inode(name) {
        this.inodes ??= new Map();
        name = normal(name);
        if (!this.inodes.has(name)) {
            this.inodes.set(name, BigInt(this.inodes.size + 1));
        }
        return this.inodes.get(name);
    }
}
