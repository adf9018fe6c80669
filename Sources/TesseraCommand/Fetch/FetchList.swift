internal import Tessera

/// The pictures that are to be fetched, no two of them to be called the same.
struct FetchList {
    private(set) var entries: [FetchEntry] = []
    private var stems: Set<String> = []

    /// Reads `addresses`; `-` stands for those on standard input, one to a line.
    init(_ addresses: [String]) throws(ImageError) {
        for address in addresses {
            guard address == "-" else {
                add(address)
                continue
            }
            let lines = String(decoding: try WholeFile.read("-"), as: UTF8.self).split(whereSeparator: \.isNewline)
            for line in lines {
                let words = line.drop(while: \.isWhitespace)
                if let last = words.lastIndex(where: { !$0.isWhitespace }) { add(String(words[...last])) }
            }
        }
    }

    /// The first of a name keeps it; the others are numbered from 2 on.
    private mutating func add(_ address: String) {
        var entry = FetchEntry(address)
        let stem = entry.name.stem
        var number = 1
        while !stems.insert(entry.name.stem).inserted {
            number += 1
            entry.name.stem = "\(stem)-\(number)"
        }
        entries.append(entry)
    }
}
