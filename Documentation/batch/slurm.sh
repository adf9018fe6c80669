#!/bin/bash
# An array of Slurm over a list of images: sbatch --array=0-15 slurm.sh LIST TEMPLATE [OPTIONS]
#
# Each task does the shard that Slurm's variables name. If tasks were killed, with their node or for their memory, submit the
# same line again: what is done stays done.
#SBATCH --job-name=tessera
#SBATCH --cpus-per-task=1
#SBATCH --requeue

list=${1:?LIST}
template=${2:?TEMPLATE}
shift 2

# A worker that was killed alone (status above 128) goes on where it was, at once.
for attempt in 1 2 3 4 5; do
    tessera batch "$list" --out "$template" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
        --report "reports/$SLURM_ARRAY_TASK_ID.jsonl" "$@"
    status=$?
    ((status > 128)) || exit $status
    echo "attempt $attempt ended with status $status" >&2
done
exit $status
