// The C part of a worker's program.
#ifndef CTESSERA_WORKER_H
#define CTESSERA_WORKER_H

/// From now on `open` makes no system call, which would be refused: a path below /proc opens as an empty file, all
/// others fail (EACCES).
///
/// Dispatch looks every second at what its threads do, by the files that the system has on them, and ends the process
/// where it can't open those.
void tessera_open_nothing(void);

#endif
