// What all of Foundation's implementations have: floors that speak of URLs, data and dates import this.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
