internal import ImageFormats
internal import Tessera

extension Conversion {
    /// Whether the output format can hold several images and all are wanted.
    var holdsSeveral: Bool {
        settings.selection == .all
            && !registry.capabilities(of: entry.format).isDisjoint(with: [.encodeAnimation, .encodePages])
    }

    /// Writes all images of a file to one file if there are several and the format can hold them; else the primary one.
    func writeAll(_ source: Source, to output: EncodedOutput) throws(ImageError) -> Result {
        let bytes: [UInt8]
        let header: ImageHeader
        if !source.isStream, !settings.keepsPartial {
            // Most files have one image and are opened as such. A pipe can't be read twice.
            let picture = try open(source)
            guard mayHoldSeveral(picture.header) else { return try write(picture, of: source, to: output) }
            bytes = try source.bytes()
            header = picture.header
        } else {
            bytes = try source.bytes()
            header = try ImageSource.header(of: bytes, options: decoding, registry: registry)
        }
        guard mayHoldSeveral(header), let pictures = try pictures(in: bytes, header) else {
            return try write(Source(bytes), to: output)
        }
        if let error = pictures.error, !settings.keepsPartial { throw error }

        var options = encoding(pictures.header)
        options.loopCount = settings.loopCount ?? pictures.loopCount
        let destination = try ImageDestination(format: entry.format, options: options, registry: registry)
        let progress = ProgressBar(total: isAlone ? pictures.count : 1)
        try destination.encode(count: pictures.count, to: output) { (index) throws(ImageError) in
            defer { progress.advance() }
            return try pictures.picture(at: index)
        }
        progress.finish()
        try output.commit()
        return Result(
            inputByteCount: bytes.count, outputByteCount: output.byteCount,
            note: pictures.error.map { "\(entry.input) is damaged: \($0); the readable part was written" })
    }

    /// Writes each image of a file to a separate file.
    func writeEach(_ source: Source) throws(ImageError) -> Result {
        guard case .file = entry.output else {
            throw ImageError(.invalidParameter, "--frames writes several files, which standard output can't hold")
        }
        let bytes = try source.bytes()
        let header = try ImageSource.header(of: bytes, options: decoding, registry: registry)
        guard let pictures = try pictures(in: bytes, header) else {
            return try write(Source(bytes), to: EncodedOutput(entry.output, overwrites: settings.overwrites))
        }
        if let error = pictures.error, !settings.keepsPartial { throw error }

        let destination = try ImageDestination(format: entry.format, options: encoding(header), registry: registry)
        let digits = "\(pictures.count - 1)".count
        let progress = ProgressBar(total: isAlone ? pictures.count : 1)
        var byteCount = 0
        for index in 0..<pictures.count {
            let number = String(repeating: "0", count: digits - "\(index)".count) + "\(index)"
            let output = try EncodedOutput(entry.output.numbered(number), overwrites: settings.overwrites)
            try destination.encode(pictures.picture(at: index).bitmap, to: output)
            try output.commit()
            byteCount += output.byteCount
            progress.advance()
        }
        progress.finish()
        return Result(
            inputByteCount: bytes.count, outputByteCount: byteCount,
            note: pictures.error.map { "\(entry.input) is damaged: \($0); the readable part was written" })
    }

    /// Whether the file has, or may have, several images of a kind that the output can hold.
    func mayHoldSeveral(_ header: ImageHeader) -> Bool {
        sequence(of: header).map { registry.capabilities(of: entry.format).contains($0.kind.capability) } ?? false
    }

    /// The header's sequence. For a GIF it may not be known at the start, so an animation is assumed.
    private func sequence(of header: ImageHeader) -> ImageSequence? {
        header.sequence ?? (header.format == .gif ? ImageSequence(.animation, count: nil) : nil)
    }

    /// Returns the images of a file that has several; nil if there is only one.
    private func pictures(in bytes: [UInt8], _ header: ImageHeader) throws(ImageError) -> PictureSequence? {
        var header = header
        header.sequence = sequence(of: header)
        return try PictureSequence(
            bytes, header: header, changing: settings.change, options: decoding, isPartial: settings.keepsPartial,
            registry: registry)
    }
}
