using System.Collections;
using System.Data.Common;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Types that a database defines: names, .NET types and values of columns, and parameters of them, beside Npgsql.</summary>
public class DatabaseTypesTests : PgTests
{
    private const string Script =
        """
        drop schema if exists other cascade;
        drop table if exists kinds;
        drop type if exists "Feeling", feeling, feeling2, feeling3, address, person, floats cascade;
        drop domain if exists code, amount, codes;
        create schema other;
        create type feeling as enum ('sad', 'very_happy');
        create type "Feeling" as enum ('a');
        create type other.shade as enum ('dark', 'light');
        create domain code as text check (value <> '');
        create domain amount as numeric(10, 2);
        create domain codes as text[];
        create type address as (street text, number int);
        create type person as (name text, home address, marks int[]);
        create type floats as range (subtype = float8);
        drop table if exists kinds;
        create table kinds (f feeling, fs feeling[], c code, cs code[], a amount, "as" amount[], s other.shade, ss other.shade[]);
        insert into kinds values ('sad', '{very_happy,NULL}', 'x', '{"a b",c}', 1.50, '{1.5,2}', 'dark', '{light}');
        """;

    private static readonly string[] s_columns =
    [
        "'sad'::feeling", "'{sad,very_happy}'::feeling[]", "'{{sad,very_happy},{sad,NULL}}'::feeling[]", "'[2:3]={sad,sad}'::feeling[]",
        "'a'::\"Feeling\"", "'{a}'::\"Feeling\"[]", "'dark'::other.shade", "'{dark}'::other.shade[]",
        "'x'::code", "'{x,y}'::code[]", "'1.5'::amount", "'{1.5,2}'::amount[]", "'{a,b}'::codes",
        "'{}'::feeling[]", "null::feeling[]", "null::feeling", "'{}'::information_schema.sql_identifier[]", "'{1}'::information_schema.cardinal_number[]",
        "1::information_schema.cardinal_number",
    ];

    private static readonly string[] s_extensions =
    ["'X'::citext", "'{X,y}'::citext[]", "'a.b'::ltree", "'{a.b,c}'::ltree[]", "'a=>1,b=>NULL'::hstore", "array['a=>1'::hstore, null]"];

    [Fact]
    public async Task ColumnsHaveTheNamesTypesAndValuesOfNpgsql()
    {
        await using DataPair pair = await DataPair.OpenAsync<DatabaseTypesTests>(Fixture, Script);
        await CompareAsync(pair, s_columns);
        await CompareAsync(pair, ["f", "fs", "c", "cs", "a", "\"as\"", "s", "ss"], " from kinds");
    }

    [Fact]
    public async Task ColumnsOfExtensionsHaveTheNamesTypesAndValuesOfNpgsql()
    {
        await using DataPair pair = await DataPair.OpenAsync<DatabaseTypesTests>(Fixture, Script + ExtensionScript);
        string have = await pair.RunAsync("select string_agg(extname, ',') from pg_extension");
        await CompareAsync(pair, [.. s_extensions.Where(column => s_extensionNames.Any(name => column.Contains(name) && have.Contains(name)))]);
    }

    internal enum Feeling
    {
        Sad,
        VeryHappy,
    }

    // Its properties are not in the order of the fields, and it has one that the database has not.
    internal sealed class Address
    {
        public int? Number { get; set; }

        public string? Street { get; set; }
    }

    internal sealed class Person
    {
        public Address? Home { get; set; }

        public int[]? Marks { get; set; }

        public string? Name { get; set; }
    }

    [Fact]
    public async Task ParametersHaveTheTypesOfNpgsql()
    {
        await using DataPair pair = await OpenMappedAsync(Fixture);
        (object Value, string? Type)[] cases =
        [
            (Feeling.VeryHappy, null), (Feeling.VeryHappy, "feeling"), ((Feeling[])[Feeling.Sad, Feeling.VeryHappy], null), (new List<Feeling> { Feeling.Sad }, null),
            ("sad", "feeling"), ((string[])["sad"], "feeling[]"), ("dark", "other.shade"), ((string[])["dark"], "other.shade[]"),
            ("x", "code"), ((string[])["x", "y"], "code[]"), (1.5m, "amount"), ((decimal[])[1.5m, 2m], "amount[]"),
            (new Dictionary<string, string?> { ["a"] = "1" }, null), ("X", "citext"), ((string[])["X"], "citext[]"), ("a.b", "ltree"),
            (new Address { Number = 5, Street = "s" }, null), ((Address[])[new Address { Number = 5, Street = "s" }], null),
            (new Person { Name = "n", Home = new Address { Street = "h" }, Marks = [1, 2] }, null),
            (5, "bigint"), (5, "int8"), ("x", "character varying"), ((int[])[1], "integer[]"),
        ];
        List<string> differences = [];
        foreach ((object value, string? type) in cases)
        {
            string theirs = await TypeOfAsync(pair.Theirs, value, type);
            string ours = await TypeOfAsync(pair.Ours, value, type);
            if (ours != theirs)
            {
                differences.Add($"{value} as {type}: {ours}, and on Npgsql {theirs}");
            }
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
    }

    [Fact]
    public async Task CompositesFillProperties()
    {
        await using DataPair pair = await OpenMappedAsync(Fixture);
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandText =
                """
                select row('s', 5)::address, array[row('t', null)::address, null], row('n', row('h', 7)::address, '{1,2}')::person, null::address
                """;
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            var address = Assert.IsType<Address>(reader.GetValue(0));
            Assert.Equal(("s", 5), (address.Street, address.Number));
            Assert.Equal(typeof(Address), reader.GetFieldType(0));
            Assert.Equal(5, reader.GetFieldValue<Address>(0).Number);
            Address?[] addresses = Assert.IsType<Address[]>(reader.GetValue(1));
            Assert.Equal(("t", null), (addresses[0]!.Street, addresses[0]!.Number));
            Assert.Null(addresses[1]);
            Assert.Equal("t", reader.GetFieldValue<Address[]>(1)[0].Street);
            Person person = reader.GetFieldValue<Person>(2);
            Assert.Equal(("n", "h", 7), (person.Name, person.Home!.Street, person.Home.Number));
            Assert.Equal([1, 2], person.Marks!);
            Assert.True(reader.IsDBNull(3));
        }
    }

    [Fact]
    public async Task ATypeThatIsCreatedLaterIsKnownOnceTheTypesAreReloaded()
    {
        await using DataPair pair = await DataPair.OpenAsync<DatabaseTypesTests>(Fixture, Script);
        await pair.RunAsync("create type feeling2 as enum ('a', 'b')");
        Assert.StartsWith("OID ", await DescribeAsync(pair.Ours, "select '{a}'::feeling2[]"));
        ((PgDbConnection)pair.Ours).ReloadTypes();
        await ((Npgsql.NpgsqlConnection)pair.Theirs).ReloadTypesAsync();
        await CompareAsync(pair, ["'{a}'::feeling2[]", "'a'::feeling2"]);
        await pair.RunAsync("drop type feeling2; create type feeling3 as enum ('a', 'b')");
        await ((PgDbConnection)pair.Ours).ReloadTypesAsync();
        await ((Npgsql.NpgsqlConnection)pair.Theirs).ReloadTypesAsync();
        await CompareAsync(pair, ["'{a}'::feeling3[]"]);
    }

    private static Task<DataPair> OpenMappedAsync(PgFixture fixture)
        => DataPair.OpenAsync<DatabaseTypesTests>(fixture, Script + ExtensionScript, static builder =>
        {
            builder.MapEnum<Feeling>();
            builder.MapComposite<Address>();
            builder.MapComposite<Person>("public.person");
        },
        static options => options.MapEnum<Feeling>().MapComposite<Address>().MapComposite<Person>("public.person"));

    private static async Task<string> TypeOfAsync(DbConnection connection, object value, string? type)
    {
        try
        {
            return await DataPair.TypeAndTextAsync(connection, value, type);
        }
        catch (DbException refused)
        {
            return refused.SqlState ?? refused.GetType().Name;
        }
        catch (Exception refused) when (refused is InvalidCastException or NotSupportedException or ArgumentException)
        {
            return refused.GetType().Name;
        }
    }

    private static readonly string[] s_extensionNames = ["citext", "ltree", "hstore"];

    private static string ExtensionScript { get; } = string.Concat(s_extensionNames.Select(static name =>
        $"do $$ begin create extension if not exists {name}; exception when others then null; end $$;"));

    private static async Task CompareAsync(DataPair pair, string[] columns, string from = "")
    {
        List<string> differences = [];
        foreach (string column in columns)
        {
            string theirs = await DescribeAsync(pair.Theirs, $"select {column}{from}");
            string ours = await DescribeAsync(pair.Ours, $"select {column}{from}");
            if (ours != theirs)
            {
                differences.Add($"{column}: {ours}, and on Npgsql {theirs}");
            }
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
    }

    private static async Task<string> DescribeAsync(DbConnection connection, string sql)
    {
        await using DbDataReader reader = await connection.ReaderAsync(sql);
        await reader.ReadAsync();
        string value;
        try
        {
            value = Print(reader.GetValue(0));
        }
        catch (InvalidCastException)
        {
            value = nameof(InvalidCastException);
        }

        return $"{reader.GetDataTypeName(0)} {reader.GetFieldType(0).Name} {value}";
    }

    private static string Print(object? value) => value switch
    {
        null => "null",
        DBNull => "NULL",
        string text => text,
        IDictionary pairs => $"{{{string.Join(",", pairs.Keys.Cast<object>().Select(key => $"{key}={Print(pairs[key])}"))}}}",
        Array { Rank: > 1 } items => $"{items.GetType().Name}{items.GetLength(0)}x{items.GetLength(1)}[{string.Join(",", items.Cast<object?>().Select(Print))}]",
        IEnumerable items => $"{items.GetType().Name}[{string.Join(",", items.Cast<object?>().Select(Print))}]",
        _ => $"{value.GetType().Name} {value}",
    };
}
