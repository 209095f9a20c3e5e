using System.ComponentModel;
using System.Data;
using System.Data.Common;
using System.Reflection;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Every property of ADO.NET's types that can be set: what is read after it, or how it is refused, is the same as on Npgsql.</summary>
public class SettablePropertyTests
{
    private const string Quotes = "A quote that SQL does not have is refused; Npgsql keeps the one that it has.";
    private const string Text = "Host=a;Username=b;Database=c";

    private static readonly (Type Type, Func<DbProviderFactory, object> Make)[] s_subjects =
    [
        (typeof(DbParameter), static factory => factory.CreateParameter()!),
        (typeof(DbCommand), static factory => factory.CreateCommand()!),
        (typeof(DbBatch), static factory => factory.CreateBatch()),
        (typeof(DbBatchCommand), static factory => factory.CreateBatchCommand()),
        (typeof(DbConnection), static factory => factory.CreateConnection()!),
        (typeof(DbDataAdapter), static factory => factory.CreateDataAdapter()!),
        (typeof(DbCommandBuilder), static factory => factory.CreateCommandBuilder()!),
        (typeof(DbConnectionStringBuilder), static factory => factory.CreateConnectionStringBuilder()!),
    ];

    private static readonly Dictionary<string, string> s_differences = new()
    {
        ["DbCommandBuilder.QuotePrefix=x"] = Quotes,
        ["DbCommandBuilder.QuotePrefix=@x"] = Quotes,
        ["DbCommandBuilder.QuotePrefix=:x y"] = Quotes,
        ["DbCommandBuilder.QuoteSuffix=x"] = Quotes,
        ["DbCommandBuilder.QuoteSuffix=@x"] = Quotes,
        ["DbCommandBuilder.QuoteSuffix=:x y"] = Quotes,
    };

    public static TheoryData<string, string> Properties => new(s_subjects.SelectMany(static subject => subject.Type
        .GetProperties(BindingFlags.Instance | BindingFlags.Public)
        .Where(static property => property.SetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0)
        .Select(property => (subject.Type.Name, property.Name))));

    [Theory, MemberData(nameof(Properties))]
    public void APropertyTakesAndRefusesWhatNpgsqlsDoes(string type, string name)
        => Assert.DoesNotContain(DifferencesOf(type, name), static difference => !s_differences.ContainsKey(difference.Key));

    [Fact]
    public void NoDifferenceIsListedInVain()
        => Assert.Empty(s_differences.Keys.Except(Properties.SelectMany(static row => DifferencesOf(row.Data.Item1, row.Data.Item2)).Select(static difference => difference.Key)));

    /// <summary>What was set, as the list of differences names it, and what came of it.</summary>
    private static IEnumerable<(string Key, string Text)> DifferencesOf(string type, string name)
    {
        (Type subject, Func<DbProviderFactory, object> make) = s_subjects.Single(subject => subject.Type.Name == type);
        PropertyInfo property = subject.GetProperty(name)!; // From the list above.
        object?[] theirs = [.. ValuesOf(property, NpgsqlFactory.Instance)];
        object?[] ours = [.. ValuesOf(property, PgDbProviderFactory.Instance)];
        for (int i = 0; i < ours.Length; i++)
        {
            string expected = Set(property, make(NpgsqlFactory.Instance), theirs[i]);
            string actual = Set(property, make(PgDbProviderFactory.Instance), ours[i]);
            if (expected != actual)
            {
                yield return ($"{type}.{name}={ours[i] ?? "null"}", $"{expected} on Npgsql, {actual} here");
            }
        }
    }

    private static string Set(PropertyInfo property, object subject, object? value)
    {
        try
        {
            property.SetValue(subject, value);
            object? read = property.GetValue(subject);
            return ReferenceEquals(read, value) && value is not null ? "itself" : $"{read ?? "null"}";
        }
        catch (TargetInvocationException exception)
        {
            return exception.InnerException switch
            {
                ArgumentException => "refused: argument",
                InvalidOperationException => "refused: roundTrip",
                NotSupportedException => "refused: not supported",
                { } other => $"refused: {other.GetType().Name}",
                null => "refused",
            };
        }
    }

    private static IEnumerable<object?> ValuesOf(PropertyInfo property, DbProviderFactory factory)
    {
        Type type = property.PropertyType;
        return type switch
        {
            _ when type == typeof(bool) => [true, false],
            _ when type == typeof(int) => [0, 1, 7, int.MaxValue, -1, -2],
            _ when type == typeof(byte) => [(byte)0, (byte)3, (byte)255],
            _ when type == typeof(string) && property.Name == nameof(DbConnection.ConnectionString) => [Text, "", null, "no such=1", "Host"],
            _ when type == typeof(string) => ["x", "", null, "@x", "\"", ":x y"],
            _ when type == typeof(object) => [5, "x", DBNull.Value, null, new object(), new[] { 1 }],
            _ when type.IsEnum => [.. Enum.GetValues(type).Cast<object>(), Enum.ToObject(type, 77)],
            _ when type == typeof(DbConnection) || type == typeof(IDbConnection) => [factory.CreateConnection(), null],
            _ when type == typeof(DbCommand) || type == typeof(IDbCommand) => [factory.CreateCommand(), null],
            _ when type == typeof(DbDataAdapter) => [factory.CreateDataAdapter(), null],
            _ when type == typeof(DbTransaction) || type == typeof(IDbTransaction) => [null],
            _ when type == typeof(ISite) => [null],
            _ => throw new InvalidOperationException($"There is no value for {property}: add some."),
        };
    }
}
