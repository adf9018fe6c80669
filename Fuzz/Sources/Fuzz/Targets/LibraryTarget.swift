import CTessera

extension FuzzTarget {
    /// The C interface: opens the input from memory and by callbacks, and decodes and writes it with options made of its bytes.
    /// Each call returns a status, and an output or none to match.
    static let library = FuzzTarget(
        name: "library", seedExtensions: ["png", "jpg", "gif", "jpng"],
        seeds: { [Fixtures.png, Fixtures.jpeg, Fixtures.jpng].map { [UInt8](repeating: 3, count: 24) + $0 } }
    ) { input in
        // The first bytes choose the calls' arguments, the others are the file.
        let numbers = input.prefix(24).map { Int64(Int8(bitPattern: $0)) }
        guard numbers.count == 24 else { return }
        LibraryCalls(numbers: numbers, file: Array(input.dropFirst(24))).run()
    }
}

private struct LibraryCalls {
    let numbers: [Int64]
    let file: [UInt8]

    func run() {
        var limits = tessera_limits()
        limits.size = MemoryLayout<tessera_limits>.size
        limits.pixel_count = 1 << 18
        limits.working_byte_count = 1 << 26
        withUnsafePointer(to: &limits) { limits in
            var options = tessera_open_options()
            options.size = MemoryLayout<tessera_open_options>.size
            options.limits = limits
            options.color = Int32(numbers[0] & 1)
            options.bits_per_channel = [0, 8, 16, 3][Int(numbers[1] & 3)]
            options.image_number = numbers[2]
            var image: OpaquePointer?
            check(tessera_open_memory(file, file.count, &options, &image, nil), image != nil)
            use(image)
            tessera_image_free(image)
            openByCallbacks(&options)
        }
        var parts = tessera_jpng_parts()
        parts.size = MemoryLayout<tessera_jpng_parts>.size
        if tessera_jpng_split(file, file.count, &parts, nil) == 0 {
            precondition(parts.mask_offset + parts.mask_byte_count <= Int64(file.count))
        }
    }

    /// The same from a source whose reads are short.
    private func openByCallbacks(_ options: inout tessera_open_options) {
        final class Reading {
            let file: [UInt8]
            var position = 0
            init(_ file: [UInt8]) { self.file = file }
        }
        let reading = Reading(file)
        withExtendedLifetime(reading) {
            var source = tessera_source()
            source.size = MemoryLayout<tessera_source>.size
            source.context = Unmanaged.passUnretained(reading).toOpaque()
            // Sometimes not the truth.
            source.byte_count = Int64(file.count) + (numbers[3] & 1)
            source.read = { context, buffer, count in
                let reading = Unmanaged<Reading>.fromOpaque(context!).takeUnretainedValue()
                let part = reading.file[reading.position...].prefix(min(count, 1000))
                UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(from: part)
                reading.position += part.count
                return Int64(part.count)
            }
            if numbers[4] & 1 == 0 {
                source.seek = { context, offset in
                    let reading = Unmanaged<Reading>.fromOpaque(context!).takeUnretainedValue()
                    reading.position = min(Int(offset), reading.file.count)
                    return 0
                }
            }
            var image: OpaquePointer?
            check(tessera_open_source(&source, &options, &image, nil), image != nil)
            use(image)
            tessera_image_free(image)
        }
    }

    private func use(_ image: OpaquePointer?) {
        guard let image else { return }
        var options = tessera_decode_options()
        options.size = MemoryLayout<tessera_decode_options>.size
        (options.x, options.y, options.width, options.height) = (numbers[5], numbers[6], numbers[7], numbers[8])
        (options.target_width, options.target_height) = (numbers[9], numbers[10])
        (options.fits, options.pixels, options.alpha) = (Int32(numbers[11] & 1), Int32(numbers[12]), Int32(numbers[13]))
        var layout = tessera_layout()
        layout.size = MemoryLayout<tessera_layout>.size
        let isPossible = tessera_decode_layout(image, &options, &layout, nil) == 0
        if isPossible {
            let stride = Int(layout.row_byte_count) + Int(numbers[14] & 7)
            let byteCount = stride * (Int(layout.height) - 1) + Int(layout.row_byte_count)
            if byteCount < 1 << 24 {
                var pixels = [UInt8](repeating: 0, count: byteCount)
                _ = tessera_decode(image, &options, &pixels, byteCount, stride, nil)
            }
        }
        var thumbnail: OpaquePointer?
        check(tessera_thumbnail(image, numbers[15], numbers[16], nil, &thumbnail, nil), thumbnail != nil)
        var encoding = tessera_encode_options()
        encoding.size = MemoryLayout<tessera_encode_options>.size
        encoding.maximum_byte_count = numbers[17]
        encoding.keeps = Int32(numbers[18])
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        "png".withCString { format in
            encoding.format = format
            check(tessera_encode(thumbnail ?? image, &encoding, &bytes, &count, nil), bytes != nil)
        }
        tessera_free(bytes)
        // Freed handles give a status.
        tessera_image_free(thumbnail)
        if thumbnail != nil { precondition(tessera_thumbnail(thumbnail, 1, 1, nil, &thumbnail, nil) != 0) }
        var animation: OpaquePointer?
        check(tessera_animation_open(image, &animation, nil), animation != nil)
        var frame: OpaquePointer?
        check(tessera_animation_frame(animation, numbers[19], &frame, nil, nil), frame != nil)
        tessera_animation_free(animation)
        tessera_image_free(frame)
    }

    private func check(_ status: tessera_status, _ hasOutput: Bool) { precondition((status == 0) == hasOutput) }
}
