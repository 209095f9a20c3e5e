using System.Runtime.InteropServices;
using System.Text.Json;

namespace Ioxide.Pg;

/// <summary><c>jsonb</c>, which is JSON after a version byte; <c>json</c> is read too.</summary>
internal sealed class JsonElementCodec : PgCodec<JsonElement>
{
    /// <summary>The only version of the wire form of <c>jsonb</c>.</summary>
    internal const byte Version = 1;

    internal static readonly JsonElementCodec Instance = new();

    public override uint TypeId => PgTypeId.Jsonb;

    /// <summary>An element without a value is sent as NULL.</summary>
    public override bool IsNull(JsonElement value) => value.ValueKind == JsonValueKind.Undefined;

    public override int Measure(JsonElement value) => 1 + JsonMarshal.GetRawUtf8Value(value).Length;

    public override void Write(JsonElement value, Span<byte> destination)
    {
        destination[0] = Version;
        JsonMarshal.GetRawUtf8Value(value).CopyTo(destination[1..]);
    }

    public override JsonElement Read(PgField field)
    {
        if (field.IsNull)
        {
            TypeErrors.ThrowNull<JsonElement>(field.TypeId);
        }

        using JsonDocument document = JsonDocument.Parse(Open<JsonElement>(field).ToArray());
        return document.RootElement.Clone();
    }

    /// <summary>Returns the JSON of a field.</summary>
    /// <typeparam name="T">The requested type, for error messages.</typeparam>
    internal static ReadOnlySpan<byte> Open<T>(PgField field)
    {
        PgTypeKind kind = PgTypeTable.KindOf(field.TypeId);
        if (field.Format == PgFormat.Binary && kind == PgTypeKind.Jsonb)
        {
            return StripVersion(field.Bytes);
        }

        if (PgTypeTable.Knows(field.TypeId) && kind is not (PgTypeKind.Json or PgTypeKind.Jsonb or PgTypeKind.Text))
        {
            TypeErrors.ThrowMismatch<T>(field.TypeId, field.Format);
        }

        return field.Bytes;
    }

    internal static ReadOnlySpan<byte> StripVersion(ReadOnlySpan<byte> jsonb)
    {
        if (jsonb is not [Version, ..])
        {
            TypeErrors.ThrowMalformed(PgTypeId.Jsonb, "its version is not 1");
        }

        return jsonb[1..];
    }
}
