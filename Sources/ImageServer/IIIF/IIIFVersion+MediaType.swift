extension IIIFVersion {
    /// The media type of `info.json` for a client whose `Accept` this is; nil for one that sends none.
    ///
    /// In version 3 it is JSON-LD unless plain JSON is wanted more, in version 2 plain JSON unless JSON-LD is named.
    package func mediaType(accepting accept: String?) -> String {
        let header = AcceptHeader(accept)
        let (plain, linked) = (header.weight(of: "application/json"), header.weight(of: "application/ld+json"))
        let namesPlain = (header.weight(named: "application/json") ?? 0) > 0
        let namesLinked = (header.weight(named: "application/ld+json") ?? 0) > 0
        switch self {
        case .v3:
            let wantsPlain = plain > linked || (plain == linked && namesPlain && !namesLinked)
            return wantsPlain ? "application/json" : "application/ld+json;profile=\"\(context)\""
        case .v2:
            return namesLinked && linked >= plain ? "application/ld+json" : "application/json"
        }
    }
}
