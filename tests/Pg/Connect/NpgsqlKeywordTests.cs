using System.ComponentModel;
using System.Reflection;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>
/// Every keyword of Npgsql's connection strings is used, or refused, or has no effect here; docs/from-npgsql.md names those that are not used.
/// </summary>
public class NpgsqlKeywordTests
{
    private static readonly string s_page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "from-npgsql.md"));

    public static TheoryData<string> Properties => [.. typeof(NpgsqlConnectionStringBuilder).GetProperties(BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly)
        .Where(static property => property is { CanWrite: true, Name: not "Item" } && property.GetIndexParameters().Length == 0)
        .Select(static property => property.Name)];

    [Theory, MemberData(nameof(Properties))]
    public void AKeywordIsUsedOrThePageNamesIt(string name)
    {
        PropertyInfo property = typeof(NpgsqlConnectionStringBuilder).GetProperty(name)!; // From the list above.
        string keyword = property.GetCustomAttribute<DisplayNameAttribute>()?.DisplayName ?? name;
        string[] values = [.. ValuesOf(property)];
        Assert.NotEmpty(values);
        Assert.All(values, value =>
        {
            bool isUsed;
            try
            {
                PgDataSourceOptions options = PgDataSourceOptions.Parse($"Host=a;{keyword}={value}");
                isUsed = PgDbConnectionStringBuilder.Of(options).Count > 1 || name is "Host";
            }
            catch (ArgumentException)
            {
                isUsed = false;
            }

            Assert.True(isUsed || s_page.Contains($"`{keyword}", StringComparison.Ordinal), $"docs/from-npgsql.md does not name {keyword}={value}.");
        });
    }

    /// <summary>Values that are not the default.</summary>
    private static IEnumerable<string> ValuesOf(PropertyInfo property)
    {
        object? usual = property.GetValue(new NpgsqlConnectionStringBuilder());
        Type type = Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType;
        return type switch
        {
            _ when type == typeof(bool) => [usual is true ? "false" : "true"],
            _ when type == typeof(int) => ["7"],
            _ when type.IsEnum => Enum.GetNames(type).Where(value => usual?.ToString() != value),
            _ => [property.Name switch
            {
                "Encoding" or "ClientEncoding" => "LATIN1",
                "TargetSessionAttributes" => "primary",
                "RequireAuth" => "MD5",
                _ => "x",
            }],
        };
    }
}
