// What sources of memory pressure tell, so that whoever listens needs no other import.
@_exported public import enum Platform.MemoryPressure
