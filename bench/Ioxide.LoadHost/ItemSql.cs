namespace Ioxide.LoadHost;

/// <summary>The questions of the database endpoints; both drivers ask the same. The tables are those of <c>bench/pg-fill.sql</c>.</summary>
internal static class ItemSql
{
    internal const string ByPrice =
        "select id, name, category, price, quantity, active, tags, rating_score as \"ratingScore\", rating_count as \"ratingCount\" from items "
        + "where price between $1 and $2 order by price, id limit 50";

    internal const string ByCategory =
        "select id, name, category, price, quantity, active, tags, rating_score as \"ratingScore\", rating_count as \"ratingCount\" from items "
        + "where category = $1 order by id limit 20 offset $2";

    internal const string ById =
        "select id, name, category, price, quantity, active, tags, rating_score as \"ratingScore\", rating_count as \"ratingCount\" from items where id = $1";

    /// <summary>A row that is there is changed: the table keeps its size however long a run is.</summary>
    internal const string Upsert =
        "insert into items (id, name, category, price, quantity, active, tags, rating_score, rating_count) "
        + "values ($1, 'New', 'New', $2, $3, true, '[\"new\"]', 0, 0) "
        + "on conflict (id) do update set price = excluded.price, quantity = excluded.quantity";

    internal const string Update = "update items set price = $2, quantity = $3 where id = $1";
}
