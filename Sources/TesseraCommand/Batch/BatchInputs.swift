internal import ArgumentParser
internal import ImageFormats
internal import ImageLoading
internal import Tessera

/// An input of a batch.
struct BatchInput: Sendable {
    /// The path as the manifest has it, or beneath the folder that was listed. Determines the shard.
    let name: String
    /// The path of the folder that was listed, with a slash; empty for a manifest.
    var folder = ""
    /// The path to open.
    var path: String { folder + name }
    /// The version of an object that was listed; nil if it must be looked up.
    var version: String?
    /// Options for this input alone, as an object; nil for none.
    var options: [(String, JSONValue)]?
    /// Why the manifest's entry can't be used; nil if it can.
    var error: ImageError?
}

/// The inputs of a batch: the images in a folder, or the entries of a manifest.
struct BatchInputs: Sendable {
    /// The format of a manifest.
    enum ManifestFormat: String, ExpressibleByArgument, CaseIterable {
        /// A path on each line.
        case lines
        /// Comma-separated values (RFC 4180), with the options' names in the first row.
        case csv
        /// An object on each line.
        case jsonl
    }

    private enum Content: Sendable {
        /// The pictures in a folder, whose path ends in a slash.
        case folder(FolderPictures, path: String)
        case manifest([UInt8], ManifestFormat, name: InputLocation)
    }

    private let content: Content
    /// The folders that couldn't be read.
    let failures: [InputFailure]

    /// Reads the folder or manifest at `path`; `-` is a manifest on standard input.
    /// - Parameters:
    ///   - format: The manifest's format; nil to derive it from its extension.
    ///   - root: The outputs' folder, which isn't searched.
    ///   - shard: The shard whose objects' versions are kept.
    init(
        _ path: String, format: ManifestFormat?, root: String, shard: BatchShard, registry: CodecRegistry = .default
    ) throws {
        if FileSystem.isFolder(path) {
            let rootPath = root.isEmpty ? "." : root
            if let folder = FileSystem.identity(path), folder == FileSystem.identity(rootPath) {
                throw CommandFailure(
                    "\(path) would have the outputs among the inputs; begin the template with another folder")
            }
            let listed = FilePath("", in: path).text
            let found = FolderPictures(in: path, target: rootPath, isRecursive: true, registry: registry) {
                shard.contains(Self.name(of: $0, in: listed))
            }
            content = .folder(found, path: listed)
            failures = found.failures
            return
        }
        let location = InputLocation(path)
        let name = FilePath(path).filenameExtension.lowercased()
        if format == nil, registry.format(forFilenameExtension: name) != nil {
            throw ValidationError("\(path) is an image; give a folder, or a manifest with a path on each line")
        }
        let format = format ?? (name == "csv" ? .csv : ["jsonl", "ndjson"].contains(name) ? .jsonl : .lines)
        content = .manifest(try location.open().bytes(), format, name: location)
        failures = []
    }

    /// The number of inputs of a folder; 0 for a manifest, whose inputs aren't known before it is read.
    var knownCount: Int { if case .folder(let found, _) = content { found.files.count } else { 0 } }

    /// Calls `body` with each input in order.
    /// - Throws: The errors of `body`; `CommandFailure` for a manifest without a header.
    func forEach(_ body: (Int, BatchInput) throws -> Void) throws {
        switch content {
        case .folder(let found, let path):
            // Names are beneath the folder that was listed.
            let prefixes = found.folders.map { Self.name(of: FilePath("", in: $0.path).text, in: path) }
            for (index, file) in found.files.enumerated() {
                let name = prefixes[file.folder] + file.name
                try body(index, BatchInput(name: name, folder: path, version: file.version))
            }
        case .manifest(let bytes, .lines, _):
            try Self.forEachLine(of: bytes) { index, _, line in
                let name = String(decoding: line, as: UTF8.self)
                try body(index, BatchInput(name: name))
            }
        case .manifest(let bytes, .jsonl, let location):
            try Self.forEachLine(of: bytes) { index, number, line in
                try body(index, Self.input(json: Array(line), "\(location), line \(number)"))
            }
        case .manifest(let bytes, .csv, let location):
            var rows = CSVRows(bytes)
            guard let header = try rows.next(), let column = header.fields.firstIndex(of: "input") else {
                throw CommandFailure("\(location): the first row has the names of the columns, one of which is input")
            }
            var index = 0
            while let row = try rows.next() {
                try body(index, Self.input(row, header.fields, column, "\(location), line \(row.line)"))
                index += 1
            }
        }
    }

    /// Returns what follows the path of the folder that was listed.
    private static func name(of path: String, in folder: String) -> String {
        String(Substring(path.utf8.dropFirst(folder.utf8.count)))
    }

    /// Calls `body` with the index and number of each line that isn't empty, without its end.
    private static func forEachLine(
        of bytes: [UInt8], _ body: (_ index: Int, _ number: Int, ArraySlice<UInt8>) throws -> Void
    ) rethrows {
        var (index, number, start) = (0, 0, bytes.startIndex)
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
            number += 1
            var line = bytes[start..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if !line.isEmpty {
                try body(index, number, line)
                index += 1
            }
            start = end + 1
        }
    }

    private static func input(json: [UInt8], _ place: String) -> BatchInput {
        do throws(JSONError) {
            guard case .object(var members) = try JSONParser.parse(json),
                let index = members.firstIndex(where: { $0.0 == "input" }), case .string(let path) = members[index].1,
                !path.isEmpty
            else { return unusable(place, "a line is an object with an input, as in {\"input\":\"a.jpg\"}") }
            members.remove(at: index)
            return BatchInput(name: path, options: members.isEmpty ? nil : members)
        } catch {
            // The parser counts lines from the beginning of this one.
            return unusable(place, String(error.description.drop { $0 != ":" }.dropFirst(2)))
        }
    }

    private static func input(_ row: CSVRows.Row, _ header: [String], _ column: Int, _ place: String) -> BatchInput {
        guard row.fields.count == header.count, !row.fields[column].isEmpty else {
            return unusable(
                place, "the row has \(row.fields.count) fields and needs \(header.count), and an input among them")
        }
        let path = row.fields[column]
        var options: [(String, JSONValue)] = []
        for (name, value) in zip(header, row.fields) where name != "input" && !value.isEmpty {
            switch value {
            case "true", "false": options.append((name, .boolean(value == "true")))
            default: options.append((name, .string(value)))
            }
        }
        return BatchInput(name: path, options: options.isEmpty ? nil : options)
    }

    private static func unusable(_ place: String, _ message: String) -> BatchInput {
        BatchInput(name: place, error: ImageError(.invalidParameter, message))
    }
}

/// The rows of comma-separated values (RFC 4180).
private struct CSVRows {
    struct Row {
        var fields: [String]
        /// The number of its first line, counted from 1.
        let line: Int
    }

    private let bytes: [UInt8]
    private var position: Int
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte-order mark, which spreadsheets write.
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Returns the next row that isn't empty; nil at the end.
    mutating func next() throws -> Row? {
        while position < bytes.count, bytes[position] == UInt8(ascii: "\n") || bytes[position] == UInt8(ascii: "\r") {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        guard position < bytes.count else { return nil }
        var row = Row(fields: [], line: line)
        while true {
            row.fields.append(try field())
            guard position < bytes.count, bytes[position] == UInt8(ascii: ",") else { return row }
            position += 1
        }
    }

    private mutating func field() throws -> String {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            let start = position
            while position < bytes.count, !",\r\n".utf8.contains(bytes[position]) { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        let first = line
        var text: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard position < bytes.count, bytes[position] == byte else {
                    return String(decoding: text, as: UTF8.self)
                }
                position += 1
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            text.append(byte)
        }
        throw CommandFailure("line \(first) of the manifest: a quotation mark has no partner")
    }
}
