using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;

namespace Ioxide.Pg;

/// <summary><c>jsonb</c>, which is JSON after a version byte; <c>json</c> is read too.</summary>
internal sealed class JsonElementCodec : PgCodec<JsonElement>
{
    /// <summary>The only version of the wire form of <c>jsonb</c>.</summary>
    internal const byte Version = 1;

    /// <summary>Levels of nesting: as many as the framework's writer has. Its reader has 64 unless told.</summary>
    internal const int MaxDepth = 1000;

    internal static readonly JsonElementCodec Instance = new();

    internal static JsonDocumentOptions Options { get; } = new() { MaxDepth = MaxDepth };

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
        => field.IsNull ? OfNull(field) : Parse(field, static json => JsonElement.Parse(json, Options));

    /// <summary>Reads the JSON of a field.</summary>
    /// <exception cref="PgTypeException">It is of another type, no JSON, or nested too deeply.</exception>
    internal static T Parse<T>(PgField field, Func<ReadOnlySpan<byte>, T> parse)
    {
        ReadOnlySpan<byte> json = Open<T>(field);
        try
        {
            return parse(json);
        }
        catch (JsonException exception)
        {
            throw TypeErrors.NoJson(field.TypeId, exception);
        }
    }

    /// <summary>Checks that a text is one value of JSON.</summary>
    /// <param name="json">The text.</param>
    /// <param name="typeId">Its type, for error messages.</param>
    /// <exception cref="PgTypeException">It is no JSON, or nested too deeply.</exception>
    internal static void Check(ReadOnlySpan<byte> json, uint typeId)
    {
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = MaxDepth });
        try
        {
            while (reader.Read())
            {
                // Each token is checked as it is read.
            }
        }
        catch (JsonException exception)
        {
            throw TypeErrors.NoJson(typeId, exception);
        }
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

    /// <summary>Writes what was serialized a second time: a value may have changed since its length was measured.</summary>
    /// <exception cref="InvalidOperationException">It has another length.</exception>
    internal static void WriteSerialized(ReadOnlySpan<byte> json, Span<byte> destination)
    {
        if (destination.Length != 1 + json.Length)
        {
            throw new InvalidOperationException("The JSON of an object has another length than was measured. The message was not sent.");
        }

        destination[0] = Version;
        json.CopyTo(destination[1..]);
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

/// <summary><c>jsonb</c> as a document that the caller disposes; <c>json</c> is read too.</summary>
internal sealed class JsonDocumentCodec : PgCodec<JsonDocument>
{
    public override uint TypeId => PgTypeId.Jsonb;

    public override int Measure(JsonDocument value) => JsonElementCodec.Instance.Measure(value.RootElement);

    public override void Write(JsonDocument value, Span<byte> destination) => JsonElementCodec.Instance.Write(value.RootElement, destination);

    public override JsonDocument Read(PgField field)
        => field.IsNull
            ? OfNull(field)
            : JsonElementCodec.Parse(field, static json => JsonDocument.Parse(json.ToArray(), JsonElementCodec.Options));
}

/// <summary><c>jsonb</c> as a tree that can be changed; <c>json</c> is read too.</summary>
/// <remarks>A parameter is turned into text twice: for its length, and for its bytes.</remarks>
internal sealed class JsonNodeCodec<T> : PgCodec<T>
    where T : JsonNode
{
    public override uint TypeId => PgTypeId.Jsonb;

    public override int Measure(T value) => 1 + Encoding.UTF8.GetByteCount(value.ToJsonString());

    public override void Write(T value, Span<byte> destination)
    {
        JsonElementCodec.WriteSerialized(Encoding.UTF8.GetBytes(value.ToJsonString()), destination);
    }

    /// <summary>JSON's null is no node: it is read as null, as the framework reads it.</summary>
    public override T Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        JsonNode? node = JsonElementCodec.Parse(field, static json => JsonNode.Parse(json, documentOptions: JsonElementCodec.Options));
        return node is null or T ? (T)node! : throw new PgTypeException($"The JSON is no {TypeErrors.NameOf<T>()}.");
    }
}

/// <summary>Objects that are stored as JSON: sent as <c>jsonb</c>, read from <c>jsonb</c>, <c>json</c> and text.</summary>
/// <remarks>A parameter is serialized twice: for its length, and for its bytes.</remarks>
internal sealed class JsonObjectCodec<T>(JsonTypeInfo<T> typeInfo) : PgCodec<T>
{
    public override uint TypeId => PgTypeId.Jsonb;

    public override int Measure(T value) => 1 + JsonSerializer.SerializeToUtf8Bytes(value, typeInfo).Length;

    public override void Write(T value, Span<byte> destination)
    {
        JsonElementCodec.WriteSerialized(JsonSerializer.SerializeToUtf8Bytes(value, typeInfo), destination);
    }

    public override T Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        try
        {
            return JsonSerializer.Deserialize(JsonElementCodec.Open<T>(field), typeInfo)!; // JSON's null becomes the type's null.
        }
        catch (JsonException exception)
        {
            throw new PgTypeException($"The JSON is no {TypeErrors.NameOf<T>()}: {exception.Message}", exception);
        }
    }
}
