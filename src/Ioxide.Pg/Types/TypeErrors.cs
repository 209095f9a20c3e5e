using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Ioxide.Pg;

/// <summary>Exceptions about types. Each names both types and the remedy, and none holds a value, which may be secret.</summary>
internal static class TypeErrors
{
    internal static string NameOf<T>() => NameOf(typeof(T));

    internal static string NameOf(Type type)
        => Nullable.GetUnderlyingType(type) is { } value ? $"{NameOf(value)}?"
            : type.IsArray ? $"{NameOf(type.GetElementType()!)}[{new string(',', type.GetArrayRank() - 1)}]" // An array has one.
            : type.IsGenericType
                ? $"{type.Name[..type.Name.IndexOf('`', StringComparison.Ordinal)]}<{string.Join(", ", type.GetGenericArguments().Select(NameOf))}>"
            : type.Name;

    internal static PgTypeException NoCodec<T>()
        => new($"There is no codec for {NameOf<T>()}. Register one with PgCodec.Register<{NameOf<T>()}>(...), or RegisterValue for a struct"
            + (typeof(T).IsEnum ? $"; for this enum PgCodec.RegisterEnum<{NameOf<T>()}>()." : "."));

    [DoesNotReturn]
    internal static void ThrowNull<T>(uint typeId)
        => throw new PgTypeException($"A NULL of type {PgTypeTable.NameOf(typeId)} cannot be read as {NameOf<T>()}; read it as {NameOf<T>()}?.");

    [DoesNotReturn]
    internal static void ThrowMismatch<T>(uint typeId, PgFormat format, string? remedy = null)
    {
        string form = format == PgFormat.Text ? " in text form" : "";
        throw new PgTypeException(
            $"A value of type {PgTypeTable.NameOf(typeId)}{form} cannot be read as {NameOf<T>()}. "
            + (remedy ?? "Read it as the type that fits it, as string for its text, or cast it in the statement."));
    }

    [DoesNotReturn]
    internal static void ThrowMalformed(uint typeId, string what)
        => throw new PgTypeException($"The server sent a value of type {PgTypeTable.NameOf(typeId)} that is malformed: {what}.");

    /// <summary>A method of its own, so that the check of a length is inlined where a value is read.</summary>
    [DoesNotReturn]
    internal static void ThrowLength(uint typeId, int lengthBytes, int expectedBytes)
        => ThrowMalformed(typeId, $"it has {lengthBytes} bytes, not {expectedBytes}");

    internal static PgTypeException NoJson(uint typeId, Exception inner)
        => new(
            $"A value of type {PgTypeTable.NameOf(typeId)} is no JSON, or has more than {JsonElementCodec.MaxDepth} levels. "
                + "Read it as string for its text.",
            inner);

    [DoesNotReturn]
    internal static void ThrowText<T>(uint typeId)
        => throw new PgTypeException(
            $"The text of a value of type {PgTypeTable.NameOf(typeId)} cannot be read as {NameOf<T>()}. "
                + "Values within types of the database arrive as text, and are read under DateStyle ISO and IntervalStyle postgres.");

    /// <summary>An unnamed statement was sent in the formats of an outdated description.</summary>
    internal static PgTypeException Changed(string column, uint typeId)
        => new($"Column {column} has become of type {PgTypeTable.NameOf(typeId)} since the statement was last described, and came "
            + "in a form that is not read. "
            + "The command was run. The next one asks for the new type.");

    /// <summary>Throws for a valid field that the .NET type cannot hold.</summary>
    [DoesNotReturn]
    internal static void ThrowRange<T>(uint typeId, string what, string lossless)
        => throw new PgTypeException(
            $"A value of type {PgTypeTable.NameOf(typeId)} cannot be read as {NameOf<T>()}: {what}. {lossless} holds every value.")
        {
            IsRange = true,
        };

    /// <summary>Throws for moments of several kinds, or of one that the PostgreSQL type does not keep.</summary>
    [DoesNotReturn]
    internal static void ThrowKind<T>(string typeName, string what)
        => throw new PgTypeException($"A {NameOf<T>()} cannot be sent as {typeName}: {what}.") { IsKind = true };

    /// <summary>Throws for a value that the PostgreSQL type cannot hold.</summary>
    [DoesNotReturn]
    internal static void ThrowValue<T>(string typeName, string what)
        => throw new PgTypeException(string.Create(CultureInfo.InvariantCulture, $"A {NameOf<T>()} cannot be sent as {typeName}: {what}."));
}
