using System.Data.Common;
using System.Globalization;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Composites as classes whose constructor takes some of the fields, and whose properties the rest: mapped as Npgsql maps them.</summary>
public class CompositeConstructorTests
{
    private const string Script = "drop type if exists person cascade; create type person as (id int4, first_name text, age int4)";

    [Fact]
    public Task AConstructorTakesSomeAndPropertiesTheRest() => CompareAsync(() => new Partly(7) { FirstName = "a", Age = 3 });

    [Fact]
    public Task AConstructorTakesThemInAnyOrder() => CompareAsync(() => new Reordered(3, "a", 7));

    [Fact]
    public Task AConstructorTakesWhatAPropertyCouldTakeToo() => CompareAsync(() => new Both(7, "a") { Age = 3 });

    [Fact]
    public Task AClassWithoutParametersHasProperties() => CompareAsync(() => new Plain { Id = 7, FirstName = "a", Age = 3 });

    [Fact]
    public Task ARecordHasAConstructor() => CompareAsync(() => new Positional(7, "a", 3));

    [Fact]
    public Task AStructHasBoth() => CompareAsync(() => new PartlyStruct(7) { FirstName = "a", Age = 3 });

    [Fact]
    public Task PropertiesThatAreNoFieldsAreLeftAlone() => CompareAsync(() => new WithMore(7) { FirstName = "a", Age = 3 });

    [Fact]
    public Task TheLongestConstructorWhoseParametersAreFieldsIsTaken() => CompareAsync(() => new TwoWays { Id = 7, FirstName = "a", Age = 3 });

    [Fact]
    public Task AConstructorOfOtherParametersIsNotTaken() => CompareAsync(() => new OtherWay { Id = 7, FirstName = "a", Age = 3 });

    private static async Task CompareAsync<T>(Func<T> make)
        where T : notnull
    {
        string theirs;
        await using (PgFixture fixture = new())
        {
            await using DataPair pair = await DataPair.OpenAsync<CompositeConstructorTests>(
                fixture, Script, static builder => builder.MapComposite<T>("person"));
            theirs = await TripAsync(pair.Theirs, make());
        }

        string ours;
        await using (PgFixture fixture = new())
        {
            try
            {
                await using DataPair pair = await DataPair.OpenAsync<CompositeConstructorTests>(
                    fixture, Script, configureOurs: static options => options.MapComposite<T>("person"));
                ours = await TripAsync(pair.Ours, make());
            }
            catch (ArgumentException refused)
            {
                ours = refused.Message;
            }
        }

        Assert.Equal(theirs, ours);
    }

    /// <summary>What the server sees of a value, then what is read: with values, and with NULLs.</summary>
    private static async Task<string> TripAsync<T>(DbConnection connection, T value)
        where T : notnull
    {
        try
        {
            await using DbCommand command = connection.Command("select (@p::person)::text, @p::person, row(null, null, null)::person, row(1, 'x', 2)::person, array[@p::person]");
            command.Parameters.Add(connection is PgDbConnection ? new PgDbParameter("p", value) : new NpgsqlParameter("p", value));
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            return string.Create(
                CultureInfo.InvariantCulture,
                $"{reader.GetString(0)} {reader.GetFieldValue<T>(1)} {Nulls(reader)} {reader.GetValue(3)} {reader.GetFieldValue<T[]>(4)[0]}");
        }
        catch (Exception refused) when (refused is not Xunit.Sdk.IAssertionException)
        {
            return refused.ToString();
        }

        static string Nulls(DbDataReader reader)
        {
            try
            {
                return $"{reader.GetFieldValue<T>(2)}";
            }
            catch (InvalidCastException)
            {
                return "InvalidCastException";
            }
        }
    }

    private sealed class Partly(int id)
    {
        public int Id { get; } = id;

        public string? FirstName { get; set; }

        public int? Age { get; set; }

        public override string ToString() => $"{Id} {FirstName} {Age}";
    }

    private sealed class Reordered(int? age, string? firstName, int? id)
    {
        public int? Id { get; } = id;

        public string? FirstName { get; } = firstName;

        public int? Age { get; } = age;

        public override string ToString() => $"{Id} {FirstName} {Age}";
    }

    private sealed class Both(int? id, string? firstName)
    {
        public int? Id { get; set; } = id;

        public string? FirstName { get; set; } = $"{firstName}";

        public int? Age { get; set; }

        public override string ToString() => $"{Id} {FirstName} {Age}";
    }

    private sealed class Plain
    {
        public int? Id { get; set; }

        public string? FirstName { get; set; }

        public int? Age { get; set; }

        public override string ToString() => $"{Id} {FirstName} {Age}";
    }

    private sealed record Positional(int? Id, string? FirstName, int? Age);

    private struct PartlyStruct(int? id)
    {
        public int? Id { get; } = id;

        public string? FirstName { get; set; }

        public int? Age { get; set; }

        public override readonly string ToString() => $"{Id} {FirstName} {Age}";
    }

    private sealed class WithMore(int? id)
    {
        public int? Id { get; } = id;

        public string? FirstName { get; set; }

        public int? Age { get; set; }

        public string Unrelated { get; set; } = "unrelated";

        public override string ToString() => $"{Id} {FirstName} {Age} {Unrelated}";
    }

    private sealed class TwoWays
    {
        private readonly string _way = "";

        public TwoWays()
        {
        }

        public TwoWays(int? id) => (Id, _way) = (id, "by id");

        public int? Id { get; set; }

        public string? FirstName { get; set; }

        public int? Age { get; set; }

        public override string ToString() => $"{Id} {FirstName} {Age} {_way}";
    }

    private sealed class OtherWay
    {
        private readonly string _way = "";

        public OtherWay()
        {
        }

        public OtherWay(int? number, string? text) => (Id, FirstName, _way) = (number, text, "other");

        public int? Id { get; set; }

        public string? FirstName { get; set; }

        public int? Age { get; set; }

        public override string ToString() => $"{Id} {FirstName} {Age} {_way}";
    }
}
