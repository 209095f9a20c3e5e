using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Ioxide.Pg;

/// <summary>Objects that are stored as JSON: sent as <c>jsonb</c>, read from <c>jsonb</c>, <c>json</c> and text.</summary>
/// <remarks>A parameter is serialized twice: for its length, and for its bytes.</remarks>
internal sealed class JsonObjectCodec<T>(JsonTypeInfo<T> typeInfo) : PgCodec<T>
{
    public override uint TypeId => PgTypeId.Jsonb;

    public override int Measure(T value) => 1 + JsonSerializer.SerializeToUtf8Bytes(value, typeInfo).Length;

    public override void Write(T value, Span<byte> destination)
    {
        destination[0] = JsonElementCodec.Version;
        JsonSerializer.SerializeToUtf8Bytes(value, typeInfo).CopyTo(destination[1..]);
    }

    public override T Read(PgField field)
    {
        if (field.IsNull)
        {
            if (default(T) is not null)
            {
                TypeErrors.ThrowNull<T>(field.TypeId);
            }

            return default!; // NULL is null for a type that can be null.
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
