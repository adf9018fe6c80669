// The part that all of Foundation's implementations share: modules that use URLs, data and dates import this.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
