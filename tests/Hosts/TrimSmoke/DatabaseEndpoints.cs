using System.Data.Common;
using System.Globalization;
using Ioxide.Pg;

namespace Ioxide.TrimSmoke;

/// <summary>The driver as an application uses it: its own API, JSON, types of its users, and ADO.NET.</summary>
internal static class DatabaseEndpoints
{
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);

    private static readonly PgStatement<decimal, DateTime, Mood> s_types = PgStatement.Create<decimal, DateTime, Mood>(
        "select $1 + 1, $2, $3::text::mood, array[1, null, 3], int4range(1, 5), '{\"a\": [1]}'::jsonb, 'x'::text, interval '1 day'"u8);

    private static readonly PgStatement s_rows = PgStatement.Create(
        "select i as id, i * 1.5 as price, array[i] as numbers, date '2024-02-29' as day from generate_series(1, 3) i"u8);

    /// <summary>What each endpoint answers.</summary>
    internal static (string Path, string Expected)[] Expected { get; } =
    [
        ("/native", "42"),
        ("/types", "2.50 2024-02-29T01:02:03.0000000Z VeryHappy 1,,3 [1,5) [1] x 1.00:00:00"),
        ("/json", """[{"id":1,"price":1.5,"numbers":[1],"day":"2024-02-29"},{"id":2,"price":3.0,"numbers":[2],"day":"2024-02-29"},{"id":3,"price":4.5,"numbers":[3],"day":"2024-02-29"}]"""),
        ("/ado", "System.Int32 7 System.String seven System.Decimal 7.5 System.Array 2 rolled back 0"),
    ];

    internal static void MapDatabase(this IEndpointRouteBuilder routes)
    {
        PgCodec.RegisterEnum<Mood>();
        routes.MapGet("/native", static async (HttpContext context) =>
        {
            PgDataSource db = context.RequestServices.GetRequiredService<PgDataSource>();
            int answer = await db.Query(s_double, 21).ScalarAsync<int>(context.RequestAborted);
            await context.Response.WriteAsync(answer.ToString(CultureInfo.InvariantCulture));
        });
        routes.MapGet("/types", static async (HttpContext context) => await context.Response.WriteAsync(await ReadTypesAsync(context)));
        routes.MapGet("/json", static async (HttpContext context) =>
        {
            PgDataSource db = context.RequestServices.GetRequiredService<PgDataSource>();
            await db.Query(s_rows).StreamJsonAsync(context.Response.BodyWriter, context.RequestAborted);
        });
        routes.MapGet("/ado", static async (HttpContext context) => await context.Response.WriteAsync(await UseAdoNetAsync(context)));
    }

    private static async Task<string> ReadTypesAsync(HttpContext context)
    {
        PgDataSource db = context.RequestServices.GetRequiredService<PgDataSource>();
        await using (PgSession session = await db.OpenSessionAsync(context.RequestAborted))
        {
            await session.RunScriptAsync("drop type if exists mood; create type mood as enum ('sad', 'very_happy')", context.RequestAborted);
        }

        return await db.Query(s_types, 1.50m, new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc), Mood.VeryHappy).FirstAsync(
            static row => string.Create(
                CultureInfo.InvariantCulture,
                $"{row.Get<decimal>(0)} {row.Get<DateTime>(1):O} {row.Get<Mood>(2)} {string.Join(',', row.Get<int?[]>(3))} {row.Get<PgRange<int>>(4)} "
                    + $"{row.Get<System.Text.Json.JsonElement>(5).GetProperty("a")} {row.GetString(6)} {row.Get<TimeSpan>(7)}"),
            context.RequestAborted);
    }

    private static async Task<string> UseAdoNetAsync(HttpContext context)
    {
        DbDataSource source = context.RequestServices.GetRequiredService<PgDataSource>().AsDbDataSource();
        await using DbConnection connection = await source.OpenConnectionAsync(context.RequestAborted);
        await using DbTransaction transaction = await connection.BeginTransactionAsync(context.RequestAborted);
        await using DbCommand command = connection.CreateCommand();
        command.CommandText = "create table seen (x int); insert into seen values (@x); select x, @name as name, x + 0.5, array[1, 2] from seen";
        Add(command, "x", 7);
        Add(command, "name", "seven");
        string text;
        await using (DbDataReader reader = await command.ExecuteReaderAsync(context.RequestAborted))
        {
            await reader.ReadAsync(context.RequestAborted);
            text = string.Create(
                CultureInfo.InvariantCulture,
                $"{reader.GetFieldType(0)} {reader.GetValue(0)} {reader.GetFieldType(1)} {reader.GetValue(1)} {reader.GetFieldType(2)} {reader.GetValue(2)} "
                    + $"{reader.GetFieldType(3)} {((Array)reader.GetValue(3)).Length}");
        }

        await transaction.RollbackAsync(context.RequestAborted);
        await using DbCommand count = connection.CreateCommand();
        count.CommandText = "select count(*) from pg_class where relname = 'seen'";
        return $"{text} rolled back {await count.ExecuteScalarAsync(context.RequestAborted)}";
    }

    private static void Add(DbCommand command, string name, object value)
    {
        DbParameter parameter = command.CreateParameter();
        parameter.ParameterName = name;
        parameter.Value = value;
        command.Parameters.Add(parameter);
    }

    internal enum Mood
    {
        Sad,
        VeryHappy,
    }
}
