// The level reported by sources of memory pressure, so that observers need no other import.
@_exported public import enum Platform.MemoryPressure
