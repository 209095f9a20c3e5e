using System.Collections;
using System.Data.Common;
using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>What a call answered, as text: the same of both drivers where they agree.</summary>
internal static class Answers
{
    /// <summary>The value, or the name of the exception.</summary>
    internal static string Try(Func<object?> get)
    {
        try
        {
            return Show(get());
        }
        catch (Exception refused) when (refused is not Xunit.Sdk.IAssertionException)
        {
            return refused.GetType().Name;
        }
    }

    internal static string Show(object? value) => value switch
    {
        null => "null",
        Type type => type.Name,
        DbDataReader => "reader",
        DateTime moment => $"{moment:O} {moment.Kind}",
        IEnumerable items and not string => $"{value.GetType().Name}({string.Join(",", items.Cast<object?>().Select(Show))})",
        _ => ((FormattableString)$"{value}").ToString(CultureInfo.InvariantCulture),
    };
}
