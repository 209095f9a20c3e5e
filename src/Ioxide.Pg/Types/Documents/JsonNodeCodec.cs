using System.Text;
using System.Text.Json.Nodes;

namespace Ioxide.Pg;

/// <summary><c>jsonb</c> as a tree that can be changed; <c>json</c> is read too.</summary>
/// <remarks>A parameter is turned into text twice: for its length, and for its bytes.</remarks>
internal sealed class JsonNodeCodec<T> : PgCodec<T>
    where T : JsonNode
{
    internal static readonly JsonNodeCodec<T> Instance = new();

    public override uint TypeId => PgTypeId.Jsonb;

    public override int Measure(T value) => 1 + Encoding.UTF8.GetByteCount(value.ToJsonString());

    public override void Write(T value, Span<byte> destination)
    {
        destination[0] = JsonElementCodec.Version;
        Encoding.UTF8.GetBytes(value.ToJsonString(), destination[1..]);
    }

    public override T Read(PgField field)
        => field.IsNull
            ? null! // NULL is null; a caller that rules it out asks for it as T?.
            : JsonNode.Parse(JsonElementCodec.Open<T>(field)) as T ?? throw new PgTypeException($"The JSON is no {TypeErrors.NameOf<T>()}.");
}
