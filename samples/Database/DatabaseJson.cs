using System.Text.Json.Serialization;

namespace Database;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(World))]
[JsonSerializable(typeof(World[]))]
[JsonSerializable(typeof(Item))]
[JsonSerializable(typeof(NewItem))]
[JsonSerializable(typeof(ItemChange))]
internal sealed partial class DatabaseJson : JsonSerializerContext;
