extension JPEGMarker {
    /// Whether the walker needs the segment's payload, not only its range.
    var hasReadPayload: Bool {
        isStartOfFrame || self == .startOfScan || self == .restartInterval || self == .numberOfLines
    }
}

extension JPEGMarkerWalker {
    /// Processes one byte, the last of those counted, in any state that doesn't process several at once.
    mutating func step(_ byte: UInt8) throws(JPEGBitstreamError) {
        switch state {
        case .start, .startCode:
            guard byte == (state == .start ? 0xFF : 0xD8) else {
                throw JPEGBitstreamError(
                    .missingStartOfImage, "the bytes do not begin with a JPEG's start-of-image marker", offset: 0)
            }
            if state == .start {
                state = .startCode
            } else {
                record(.startOfImage, payload: byteCount..<byteCount)
                state = .marker
            }
        case .marker:
            if byte == 0xFF {
                markerOffset = byteCount - 1
                state = .code
            } else {
                structure.extraneousByteCount += 1
            }
        case .code:
            switch byte {
            case 0xFF: markerOffset = byteCount - 1
            case 0x00:
                structure.extraneousByteCount += 2
                state = .marker
            default: try meet(JPEGMarker(rawValue: byte))
            }
        case .entropyCode:
            try stepEntropyCode(byte)
        case .length(let marker):
            state = .lengthLow(marker, high: byte)
        case .lengthLow(let marker, let high):
            let length = Int(high) << 8 | Int(byte)
            guard length >= 2 else {
                throw JPEGBitstreamError(
                    .invalidSegmentLength, "\(marker) gives its length as \(length), which counts its own two bytes",
                    offset: markerOffset)
            }
            let end = byteCount + length - 2
            payload.removeAll(keepingCapacity: true)
            if length == 2 {
                try finishSegment(marker, payload: end..<end)
            } else {
                state = .payload(marker, start: byteCount, end: end)
            }
        case .payload, .entropy, .ended:
            break
        }
    }

    /// Processes the byte after an `FF` in entropy-coded data.
    private mutating func stepEntropyCode(_ byte: UInt8) throws(JPEGBitstreamError) {
        let marker = JPEGMarker(rawValue: byte)
        if byte == 0xFF {
            // Fill bytes, or a stuffed FF after one: the next byte decides.
            markerOffset = byteCount - 1
        } else if byte == 0 {
            state = .entropy
        } else if marker.isRestart {
            if structure.scanCount == structure.scans.count {
                structure.scans[structure.scans.count - 1].restartCount += 1
            }
            state = .entropy
        } else if byte < 0xC0 {
            // No encoder writes these codes: the data is damaged, which decoders conceal, and the scan continues.
            structure.extraneousByteCount += 2
            state = .entropy
        } else {
            structure.completedScanCount += 1
            if structure.scanCount == structure.scans.count {
                structure.scans[structure.scans.count - 1].endOffset = markerOffset
            }
            try meet(marker)
        }
    }

    /// Processes a marker whose code was just read.
    private mutating func meet(_ marker: JPEGMarker) throws(JPEGBitstreamError) {
        switch marker {
        case .startOfImage:
            throw JPEGBitstreamError(
                .unexpectedMarker, "another JPEG begins before this one's end-of-image marker", offset: markerOffset)
        case .endOfImage:
            record(marker, payload: byteCount..<byteCount)
            structure.endOffset = byteCount
            state = .ended
        case _ where marker.isReserved:
            throw JPEGBitstreamError(.unexpectedMarker, "\(marker) isn't a valid JPEG marker", offset: markerOffset)
        case _ where marker.isStandalone:
            // A restart marker outside a scan, or TEM: no payload, and no meaning here.
            state = .marker
        default:
            state = .length(marker)
        }
    }

    /// Processes a complete segment.
    mutating func finishSegment(_ marker: JPEGMarker, payload range: Range<Int>) throws(JPEGBitstreamError) {
        if marker.isStartOfFrame {
            guard structure.frame == nil else {
                throw JPEGBitstreamError(
                    .unexpectedMarker, "the JPEG has a second frame, \(marker)", offset: markerOffset)
            }
            structure.frame = try JPEGFrame(marker: marker, payload: payload, offset: markerOffset)
        } else if marker == .restartInterval {
            structure.restartInterval = try number(of: marker)
        } else if marker == .numberOfLines {
            structure.numberOfLines = try number(of: marker)
        }
        if marker == .startOfScan {
            try beginScan(dataOffset: range.upperBound)
            state = .entropy
        } else {
            state = .marker
        }
        record(marker, payload: range)
    }

    private mutating func beginScan(dataOffset: Int) throws(JPEGBitstreamError) {
        guard structure.frame != nil else {
            throw JPEGBitstreamError(.unexpectedMarker, "a scan begins before the frame header", offset: markerOffset)
        }
        let scan = try JPEGScan(
            payload: payload, offset: markerOffset, dataOffset: dataOffset, restartInterval: structure.restartInterval)
        structure.scanCount += 1
        if structure.scans.count < recordLimit { structure.scans.append(scan) }
    }

    /// The 16-bit number in a DRI or DNL segment.
    private func number(of marker: JPEGMarker) throws(JPEGBitstreamError) -> Int {
        guard payload.count == 2 else {
            throw JPEGBitstreamError(
                .invalidSegmentLength, "\(marker) has \(payload.count) bytes of payload, which must be 2",
                offset: markerOffset)
        }
        return Int(payload[0]) << 8 | Int(payload[1])
    }

    private mutating func record(_ marker: JPEGMarker, payload: Range<Int>) {
        structure.segmentCount += 1
        if structure.segments.count < recordLimit {
            structure.segments.append(JPEGSegment(marker: marker, payload: payload))
        }
    }
}
