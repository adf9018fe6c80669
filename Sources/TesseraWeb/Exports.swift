internal import JPEGBitstream
internal import JPNGContainer

// The functions that JavaScript calls. Bytes come and go by memory that JavaScript reserves with `tessera_allocate`. A function
// returns a number of at least 0, or -1; the bytes of its answer, or of its error, are at `tessera_answer` until the next call.
// Positions in files are doubles, which are exact to 2⁵³.

// An instance has one thread, and JavaScript's calls don't overlap.
nonisolated(unsafe) private var session = Session()
nonisolated(unsafe) private var answer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

@_expose(wasm, "tessera_allocate") @_cdecl("tessera_allocate")
func allocate(_ count: Int32) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer.allocate(byteCount: max(1, Int(count)), alignment: 16)
}

@_expose(wasm, "tessera_release") @_cdecl("tessera_release")
func release(_ bytes: UnsafeMutableRawPointer) { bytes.deallocate() }

@_expose(wasm, "tessera_answer") @_cdecl("tessera_answer")
func answerStart() -> UnsafeMutableRawPointer? { answer.baseAddress }

@_expose(wasm, "tessera_answer_count") @_cdecl("tessera_answer_count")
func answerCount() -> Int32 { Int32(answer.count) }

@_expose(wasm, "tessera_open") @_cdecl("tessera_open")
func open(
    _ header: UnsafeRawPointer, _ headerCount: Int32, _ segments: UnsafeRawPointer, _ segmentCount: Int32,
    _ mcusPerColumn: Int32, _ dataOffset: Double, _ rowCount: Int32, _ byteCount: Double, _ rowsPerPage: Int32,
    _ columnsPerPage: Int32
) -> Int32 {
    call { () throws(WebError) in
        let numbers = try session.open(
            header: bytes(header, headerCount).bytes, segments: array(segments, segmentCount),
            mcusPerColumn: Int(mcusPerColumn), dataOffset: try offset(dataOffset), rowCount: Int(rowCount),
            byteCount: UInt64(try offset(byteCount)), rowsPerPage: Int(rowsPerPage),
            columnsPerPage: max(0, Int(columnsPerPage)))
        give(numbers)
        return 0
    }
}

@_expose(wasm, "tessera_restore") @_cdecl("tessera_restore")
func restore(
    _ page: UnsafeRawPointer, _ count: Int32, _ firstRow: Int32, _ endRow: Int32, _ firstColumn: Int32
) -> Int32 {
    call { () throws(WebError) in
        try session.restore(
            bytes(page, count).bytes, rows: try range(firstRow, endRow), firstColumn: Int(firstColumn))
        return 0
    }
}

@_expose(wasm, "tessera_ranges") @_cdecl("tessera_ranges")
func ranges(_ firstColumn: Int32, _ endColumn: Int32, _ firstRow: Int32, _ endRow: Int32) -> Int32 {
    call { () throws(WebError) in
        let window = JPEGTileWindow(columns: try range(firstColumn, endColumn), rows: try range(firstRow, endRow))
        give(try session.ranges(of: window))
        return 0
    }
}

@_expose(wasm, "tessera_cut") @_cdecl("tessera_cut")
func cut(
    _ firstColumn: Int32, _ endColumn: Int32, _ firstRow: Int32, _ endRow: Int32, _ source: UnsafeRawPointer,
    _ count: Int32, _ offsets: UnsafeRawPointer, _ offsetCount: Int32
) -> Int32 {
    call { () throws(WebError) in
        let window = JPEGTileWindow(columns: try range(firstColumn, endColumn), rows: try range(firstRow, endRow))
        // JavaScript wrote a double for each range.
        let places = UnsafeRawBufferPointer(start: offsets, count: max(0, Int(offsetCount)) * 8)
        var rangeOffsets: [Int] = []
        for number in 0..<places.count / 8 {
            // May be negative: a range's place in the source may be beyond that in the file.
            let place = places.loadUnaligned(fromByteOffset: number * 8, as: Double.self)
            guard let offset = Int(exactly: place) else { throw WebError("tooLarge", "the file is larger than 2 GB") }
            rangeOffsets.append(offset)
        }
        give(try session.cut(window, from: bytes(source, count).bytes, offsets: rangeOffsets))
        return 0
    }
}

@_expose(wasm, "tessera_index_begin") @_cdecl("tessera_index_begin")
func indexBegin(_ header: UnsafeRawPointer, _ count: Int32, _ columnWidth: Int32) -> Int32 {
    call { () throws(WebError) in
        guard let numbers = try session.beginIndexing(bytes(header, count).bytes, columnWidth: Int(columnWidth)) else {
            return 1
        }
        give(numbers)
        return 0
    }
}

@_expose(wasm, "tessera_index_append") @_cdecl("tessera_index_append")
func indexAppend(_ data: UnsafeRawPointer, _ count: Int32) -> Int32 {
    call { () throws(WebError) in Int32(try session.append(bytes(data, count).bytes)) }
}

@_expose(wasm, "tessera_index_finish") @_cdecl("tessera_index_finish")
func indexFinish(_ segments: UnsafeRawPointer, _ count: Int32) -> Int32 {
    call { () throws(WebError) in
        let rowCount = try session.finishIndexing(segments: array(segments, count))
        give(try session.header())
        return Int32(rowCount)
    }
}

@_expose(wasm, "tessera_index_page") @_cdecl("tessera_index_page")
func indexPage(_ firstRow: Int32, _ endRow: Int32, _ firstColumn: Int32, _ endColumn: Int32) -> Int32 {
    call { () throws(WebError) in
        give(try session.page(try range(firstRow, endRow), columns: try range(firstColumn, endColumn)))
        return 0
    }
}

@_expose(wasm, "tessera_eighth") @_cdecl("tessera_eighth")
func eighth(_ firstRow: Int32, _ endRow: Int32) -> Int32 {
    call { () throws(WebError) in
        guard let pixels = try session.eighth(try range(firstRow, endRow)) else { return 1 }
        give(pixels)
        return 0
    }
}

/// Whether a file whose last bytes are given is a JPNG: the answer is the bytes of its photo and of its mask.
@_expose(wasm, "tessera_jpng") @_cdecl("tessera_jpng")
func jpng(_ tail: UnsafeRawPointer, _ count: Int32, _ byteCount: Double) -> Int32 {
    call { () throws(WebError) in
        do throws(JPNGError) {
            guard let footer = try JPNGFooter.read(tail: bytes(tail, count).bytes, totalLength: Int64(byteCount)) else {
                return 0
            }
            give([Double(footer.imageSize), Double(footer.maskSize)])
            return 1
        } catch {
            throw WebError(error)
        }
    }
}

// MARK: Parameters and answers

private func call(_ body: () throws(WebError) -> Int32) -> Int32 {
    give([])
    do throws(WebError) {
        return try body()
    } catch {
        give(error.lines)
        return -1
    }
}

/// JavaScript reserved the bytes, and releases them after the call.
private func bytes(_ start: UnsafeRawPointer, _ count: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: max(0, Int(count)))
}

private func array(_ start: UnsafeRawPointer, _ count: Int32) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: start, count: max(0, Int(count))))
}

private func range(_ start: Int32, _ end: Int32) throws(WebError) -> Range<Int> {
    guard 0 <= start, start < end else { throw WebError("invalidParameter", "\(start) to \(end) is no range") }
    return Int(start)..<Int(end)
}

private func offset(_ position: Double) throws(WebError) -> Int {
    guard let offset = Int(exactly: position), offset >= 0 else {
        throw WebError("tooLarge", "the file is larger than 2 GB")
    }
    return offset
}

private func give<Number: BitwiseCopyable>(_ numbers: [Number]) {
    answer.deallocate()
    answer = .allocate(byteCount: numbers.count * MemoryLayout<Number>.stride, alignment: 16)
    numbers.withUnsafeBytes { answer.copyMemory(from: $0) }
}

private func give(_ numbers: [UInt8]) {
    answer.deallocate()
    answer = .allocate(byteCount: numbers.count, alignment: 16)
    numbers.withUnsafeBytes { answer.copyMemory(from: $0) }
}
