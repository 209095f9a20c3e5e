-- The tables of bench/pg.sh. bench/Ioxide.PgBench/Tables.cs knows what is in them and checks every answer.
create table world (id int primary key, randomnumber int not null);
insert into world select i, i * 7919 % 10000 + 1 from generate_series(1, 10000) i;

-- Changed rows find room on their own page.
create table updates (id int primary key, randomnumber int not null) with (fillfactor = 50);
insert into updates select i, i * 7919 % 10000 + 1 from generate_series(1, 10000) i;

create table fortunes (id int primary key, message text not null);
insert into fortunes values
    (1, 'fortune: No such file or directory'),
    (2, 'A computer scientist is someone who fixes things that aren''t broken.'),
    (3, 'After enough decimal places, nobody gives a damn.'),
    (4, 'A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1'),
    (5, 'A computer program does what you tell it to do, not what you want it to do.'),
    (6, 'Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen'),
    (7, 'Any program that runs right is obsolete.'),
    (8, 'A list is only as strong as its weakest link. — Donald Knuth'),
    (9, 'Feature: A bug with seniority.'),
    (10, 'Computers make very fast, very accurate mistakes.'),
    (11, '<script>alert("This should not be displayed in a browser alert box.");</script>'),
    (12, 'フレームワークのベンチマーク');

create table items (
    id int primary key, name text not null, category text not null, price int not null, quantity int not null,
    active bool not null, tags jsonb not null, rating_score int not null, rating_count int not null);
insert into items
    select i, 'Item ' || i, 'Category ' || i % 5, i * 7919::bigint % 1000, i % 100, i % 2 = 0,
        jsonb_build_array('tag' || i % 7, 'tag' || i % 11), i % 50, i % 1000
    from generate_series(1, 100000) i;
create index on items (price, id);
create index on items (category, id);

vacuum (freeze, analyze);
