internal import Tessera

extension Conversion {
    /// Whether the output can hold several pictures, and all are wanted.
    var holdsSeveral: Bool {
        settings.selection == .all
            && !registry.capabilities(of: entry.format).isDisjoint(with: [.encodeAnimation, .encodePages])
    }

    /// Writes all pictures of a file into one, if there are several and the format holds such; else the one.
    func writeAll(_ source: FileByteSource, to output: EncodedOutput) throws(ImageError) -> Result {
        let first = try peek(source)
        guard let header = first.header, let kind = header.sequence?.kind,
            registry.capabilities(of: entry.format).contains(kind.capability)
        else { return try write(first.source, to: output) }
        let bytes = try WholeFile.read(first.source, name: "\(entry.input)")
        guard let pictures = try sequence(bytes, header) else { return try write(ByteArraySource(bytes), to: output) }
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
            note: pictures.error.map { "\(entry.input) is damaged: \($0); what there is was written" })
    }

    /// Writes each picture of a file into a file of its own.
    func writeEach(_ source: FileByteSource) throws(ImageError) -> Result {
        guard case .file(let path) = entry.output else {
            throw ImageError(.invalidParameter, "--frames writes several files, which standard output can't hold")
        }
        let first = try peek(source)
        let bytes = try WholeFile.read(first.source, name: "\(entry.input)")
        let header = try ImageSource.header(of: bytes, options: decoding, registry: registry)
        guard let pictures = try sequence(bytes, header) else {
            return try write(ByteArraySource(bytes), to: EncodedOutput(entry.output, overwrites: settings.overwrites))
        }
        if let error = pictures.error, !settings.keepsPartial { throw error }

        let destination = try ImageDestination(format: entry.format, options: encoding(header), registry: registry)
        let file = FilePath(path)
        let digits = "\(pictures.count - 1)".count
        let progress = ProgressBar(total: isAlone ? pictures.count : 1)
        var byteCount = 0
        for index in 0..<pictures.count {
            let number = String(repeating: "0", count: digits - "\(index)".count) + "\(index)"
            let name = FilePath("\(file.stem)-\(number).\(file.filenameExtension)", in: file.folder).text
            let output = try EncodedOutput(.file(name), overwrites: settings.overwrites)
            try destination.encode(pictures.picture(at: index).bitmap, to: output)
            try output.commit()
            byteCount += output.byteCount
            progress.advance()
        }
        progress.finish()
        return Result(
            inputByteCount: bytes.count, outputByteCount: byteCount,
            note: pictures.error.map { "\(entry.input) is damaged: \($0); what there is was written" })
    }

    /// What the file says of its picture, and its bytes from the first one on. A pipe is read whole.
    private func peek(_ source: FileByteSource) throws(ImageError) -> (header: ImageHeader?, source: any ByteSource) {
        guard case .file(let path) = entry.input else {
            let bytes = try WholeFile.read(source, name: "\(entry.input)")
            return (try? ImageSource.header(of: bytes, options: decoding, registry: registry), ByteArraySource(bytes))
        }
        // What is wrong with it is for who reads it in earnest to say.
        return (
            try? ImageSource.header(of: source, options: decoding, registry: registry), try FileByteSource(path: path)
        )
    }

    /// The pictures in a file of several. That a GIF has several isn't always known from its beginning.
    private func sequence(_ bytes: [UInt8], _ header: ImageHeader) throws(ImageError) -> PictureSequence? {
        var header = header
        if header.format == .gif, header.sequence == nil { header.sequence = ImageSequence(.animation, count: nil) }
        return try PictureSequence(
            bytes, header: header, fitting: settings.size, options: decoding, registry: registry)
    }
}
