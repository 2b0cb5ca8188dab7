-- Due jobs are looked for lane by lane, and by nobody across lanes: one index less to keep for each job.
DROP INDEX jobs_due;
-- A process that starts alone takes back what it had in hand when it died, without looking at all jobs.
CREATE INDEX jobs_leased ON jobs (org, id) WHERE leased_until IS NOT NULL;
