-- What the doctor asks SQLite.
--
-- Tables: none.
-- Locking: none.

-- name: doctor_file
select coalesce(file, '') as file from pragma_database_list where name = 'main'

-- name: doctor_journal
pragma journal_mode

-- name: doctor_synchronous
pragma synchronous

-- name: doctor_busy
pragma busy_timeout

-- name: doctor_pages
select (select page_count from pragma_page_count) as pages, (select freelist_count from pragma_freelist_count) as free,
  (select page_size from pragma_page_size) as size
